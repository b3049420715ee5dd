#include "server/http/refusals.h"

#include <fmt/core.h>

#include <string>

namespace tunehub::http {
namespace {

constexpr std::string_view kRetryAfterSeconds = "1";  // a queue empties well within a second

std::string Seconds(std::chrono::milliseconds time) {
  return fmt::format("{:.5} s", std::to_string(static_cast<double>(time.count()) / 1000));
}

}  // namespace

Response BadRequest(std::string_view code, std::string_view detail) {
  return Problem(400, code, detail);
}

Response HeaderTooLarge(const Limits& limits) {
  return Problem(
      431, "header_too_large",
      fmt::format("The request line and the headers are larger than the limit of {} bytes.",
                  limits.header_bytes));
}

Response BodyTooLarge(const Limits& limits) {
  return Problem(413, "body_too_large",
                 fmt::format("The body is larger than the limit of {} bytes.", limits.body_bytes));
}

Response HeaderTimeout(const Limits& limits) {
  return Problem(
      408, "header_timeout",
      fmt::format("The header was not complete after {}.", Seconds(limits.header_deadline)));
}

Response BodyTimeout(const Limits& limits) {
  return Problem(408, "body_timeout",
                 fmt::format("The body took longer than {} plus its size at {} bytes per second.",
                             Seconds(limits.body_deadline), limits.min_body_rate));
}

Response MethodNotSupported(std::string_view method) {
  Response response = Problem(405, "method_not_allowed",
                              fmt::format("This server does not support the method {}.", method));
  response.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, DELETE");
  return response;
}

Response TransferEncodingNotSupported() {
  return Problem(501, "unsupported_transfer_encoding", "The Transfer-Encoding must be 'chunked'.");
}

Response WantsTls() {
  // These are nginx's words, which clients recognize.
  return TextResponse(400, "text/plain; charset=utf-8",
                      "This server speaks HTTPS here: the plain HTTP request was sent to HTTPS "
                      "port. Use https:// instead of http://.\n");
}

Response Busy(std::string_view what, std::string_view limit) {
  Response response = Problem(503, "busy", fmt::format("{}; try again.", what),
                              limit.empty() ? "" : fmt::format(R"("limit":"{}")", limit));
  response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  return response;
}

}  // namespace tunehub::http
