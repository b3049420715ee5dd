// Bytes on a connection to the transport, which runs in this process. With any bytes, the
// connection must end, and the transport must serve the next connection.
#include "server/http/listener.h"
#include "tests/fuzz/target.h"
#include "tests/support/raw_http.h"

namespace tunehub::fuzz {
namespace {

std::unique_ptr<http::Listener> StartListener() {
  http::ListenerOptions options;
  options.host = "127.0.0.1";
  options.reactors = 1;
  options.workers.fill(1);
  options.limits.header_bytes = 2048;
  options.limits.body_bytes = 4096;
  options.limits.bodies_in_flight_bytes = std::size_t{256} << 20;
  options.limits.answers_in_flight_bytes = std::size_t{128} << 20;
  options.limits.connections = 8192;
  options.limits.header_deadline = options.limits.body_deadline = std::chrono::seconds(2);
  http::Callbacks callbacks;
  callbacks.handle = [](const http::Request& request) {
    return http::TextResponse(200, "text/plain", request.path + request.body);
  };
  auto listener = std::make_unique<http::Listener>(options, std::move(callbacks));
  const auto started = listener->Start();
  Hold(started.ok(), "the listener starts");
  return listener;
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  static const auto* const listener = fuzz::StartListener().release();  // its threads end with main
  test::RawHttp strange(listener->port());
  strange.Send(fuzz::TextOf(data, size));
  strange.HalfClose();
  const std::string answer = strange.ReadToEnd();
  fuzz::Hold(answer.empty() || answer.starts_with("HTTP/1.1 "), "an answer is HTTP");
  fuzz::Hold(answer.find("HTTP/1.1 500") == std::string::npos, "nothing on the wire is our fault");
  return 0;
}
