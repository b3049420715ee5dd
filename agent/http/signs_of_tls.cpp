#include "agent/http/signs_of_tls.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <iterator>

namespace tunehub::agent {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;

constexpr int kBadRequest = 400;
// What is asked only to say it better must not take long.
constexpr std::chrono::seconds kTlsPatience{3};

}  // namespace

bool IsTlsRecord(std::string_view bytes) {
  // A handshake or an alert, and a major version of 3.
  return bytes.size() >= 2 && (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 0x03;
}

bool SaysItWantsTls(const Answer& answer) {
  constexpr std::string_view kWords[] = {
      "plain HTTP request was sent to HTTPS port",          // nginx
      "speaking plain HTTP to an SSL-enabled server port",  // Apache
      "sent an HTTP request to an HTTPS server",            // Go
  };
  if (answer.status != kBadRequest) return false;
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view words) {
    return answer.body.find(words) != std::string::npos;
  });
}

bool SpeaksTls(const Url& url, Clock::time_point deadline) {
  net::io_context context;
  net::ssl::context tls(net::ssl::context::tls_client);
  net::ssl::stream<tcp::socket> stream(context, tls);
  SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
  error_code error;
  const auto places = tcp::resolver(context).resolve(url.host, url.port, error);
  bool speaks = false;
  net::async_connect(stream.next_layer(), places, [&](error_code failure, const tcp::endpoint&) {
    if (failure) return;
    stream.async_handshake(net::ssl::stream_base::client,
                           [&](error_code broken) { speaks = !broken; });
  });
  context.run_until(std::min(deadline, Clock::now() + kTlsPatience));
  return speaks;
}

}  // namespace tunehub::agent
