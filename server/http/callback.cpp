#include "server/http/callback.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <random>

#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::http {

namespace {

constexpr std::size_t kLongestRequestId = 64;
constexpr std::size_t kTraceparentSize = 55;

bool IsHex(std::string_view text) {
  return text.find_first_not_of(core::kHexDigits) == text.npos;
}
bool IsZero(std::string_view text) {
  return text.find_first_not_of('0') == text.npos;
}

}  // namespace

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestRequestId && core::HoldsOnly(text, ".-_");
}

std::string NewRequestId() {
  // One generator per thread, because reading the random device for each id would need a system
  // call.
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    return std::mt19937_64((std::uint64_t{device()} << 32) | device());
  }();
  return fmt::format("{:016x}", random());
}

bool IsTraceparent(std::string_view text) {
  if (text.size() != kTraceparentSize) return false;
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  return IsHex(version) && version != "ff" && IsHex(trace) && !IsZero(trace) && IsHex(parent) &&
         !IsZero(parent) && IsHex(text.substr(53));
}

log::LineFields LogFields(const Asked& asked) {
  return {{"request", asked.id},
          {"traceparent", asked.traceparent},
          {"peer", asked.peer},
          {"method", asked.method},
          {"path", asked.path}};
}

Response InternalError(const RequestHead& head, std::string_view what) {
  log::Say(spdlog::level::err, "error", what, LogFields(head));
  return Problem(500, "internal_error",
                 "The server failed to answer. Its log has the request's id and the reason.");
}

void LogEscaped(std::string_view what) {
  try {
    spdlog::critical("http: an exception in a reactor: {}", what);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // There is not even memory for the log line.
  }
}

void LogHandshake(std::string_view peer, std::string_view why) {
  spdlog::debug("http: no TLS with {}: {}", peer,
                why.empty() ? "the client left, or does not use TLS" : why);
}

}  // namespace tunehub::http
