#include "agent/hub/http_client.h"

// cpprestsdk's macro U() breaks {fmt}'s headers.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT(bugprone-reserved-identifier)
#include <cpprest/http_client.h>
#include <cpprest/rawptrstream.h>
#include <fmt/core.h>
#include <pplx/threadpool.h>

#include <mutex>

#include "build_info.h"
#include "core/base/ascii.h"
#include "core/system/gzip.h"

namespace tunehub::agent {
namespace {

namespace http = web::http;

// One for the request, one for its timer: the default pool starts 40 threads.
constexpr std::size_t kThreads = 2;
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

// Errors: answer_too_large.
core::Result<std::string> ReadBody(http::http_response& response) {
  std::string body;
  auto stream = response.body();
  while (true) {
    concurrency::streams::container_buffer<std::string> chunk;
    const std::size_t got = stream.read(chunk, kReadBytes).get();
    if (got == 0) return body;
    body.append(chunk.collection(), 0, got);  // the buffer may be longer than what came
    if (body.size() > kMaxAnswerBytes) {
      return core::Error{"answer_too_large",
                         fmt::format("the answer exceeds {} bytes", kMaxAnswerBytes)};
    }
  }
}

class CpprestClient : public HubClient {
 public:
  CpprestClient(const HubAddress& address, const http::client::http_client_config& config)
      : url_(address.url), key_(address.key), client_(url_, config) {}

  core::Result<Answer> Send(const Request& request) override {
    try {
      http::http_response response = client_.request(Translate(request)).get();
      core::Result<std::string> body = ReadBody(response);
      if (!body.ok()) return body.error();
      return Translate(response, *std::move(body));
    } catch (const std::exception& error) {
      return core::Error{"hub_unreachable", url_ + ": " + error.what()};
    }
  }

 private:
  http::http_request Translate(const Request& request) const {
    http::http_request out(request.method);
    out.set_request_uri(web::uri(request.target));
    auto& headers = out.headers();
    headers.add("User-Agent", "tunehub-agent/" TUNEHUB_VERSION);
    headers.add("Accept-Encoding", "gzip");
    if (!key_.empty()) headers.add("Authorization", "Bearer " + key_);
    if (!request.body.empty()) {
      out.set_body(std::vector<unsigned char>(request.body.begin(), request.body.end()));
    }
    for (const auto& [name, value] : request.headers) {
      headers.remove(name);
      headers.add(name, value);
    }
    return out;
  }

  static core::Result<Answer> Translate(const http::http_response& response, std::string body) {
    Answer answer{response.status_code(), {}, std::move(body)};
    for (const auto& [name, value] : response.headers()) answer.headers[core::Lower(name)] = value;
    if (answer.Header("content-encoding") != "gzip") return answer;
    auto decoded = core::Gunzip(answer.body, kMaxAnswerBytes);
    // To a client an answer that is too large unpacked is as bad as one that does not unpack.
    if (!decoded.ok()) return core::Error{"bad_gzip", decoded.error().detail};
    answer.body = *std::move(decoded);
    return answer;
  }

  std::string url_, key_;
  http::client::http_client client_;
};

core::Error BadHub(const std::string& url, const std::string& reason) {
  return {"bad_hub",
          fmt::format("the hub's address '{}': {}; it looks like http://hub:8080", url, reason)};
}

}  // namespace

core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address) {
  static std::once_flag once;
  std::call_once(once, [] { crossplat::threadpool::initialize_with_threads(kThreads); });
  if (address.url.empty()) {
    return core::Error{"bad_hub", "no hub is named: pass --hub URL or set TUNEHUB_HUB"};
  }
  try {
    const web::uri uri(address.url);
    if (uri.scheme() != "http" && uri.scheme() != "https") {
      return BadHub(address.url, "neither http:// nor https://");
    }
    if (uri.host().empty()) return BadHub(address.url, "no host in it");
    if (!uri.query().empty()) return BadHub(address.url, "a query in it");
    http::client::http_client_config config;
    config.set_timeout(address.timeout);
    config.set_max_redirects(0);
    std::unique_ptr<HubClient> client = std::make_unique<CpprestClient>(address, config);
    return client;
  } catch (const std::exception& error) {
    return BadHub(address.url, error.what());
  }
}

}  // namespace tunehub::agent
