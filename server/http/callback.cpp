#include "server/http/callback.h"

#include <spdlog/spdlog.h>

#include "server/http/correlation.h"
#include "server/log/log.h"

namespace tunehub::http {

Response InternalError(const RequestHead& head, std::string_view what) {
  log::Say(spdlog::level::err, "error", what, LogFields(head));
  return Problem(500, "internal_error",
                 "The server failed to answer; its log has the request's id.");
}

void LogEscaped(std::string_view what) {
  try {
    spdlog::critical("http: a reactor met: {}", what);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // No memory for the line either.
  }
}

void LogHandshake(std::string_view peer, std::string_view why) {
  spdlog::debug("http: no TLS with {}: {}", peer, why.empty() ? "it is gone, or speaks none" : why);
}

}  // namespace tunehub::http
