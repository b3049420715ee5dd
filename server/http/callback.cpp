#include "server/http/callback.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

#include "core/base/encoding.h"

namespace tunehub::http {

namespace {

constexpr std::size_t kLongestRequestId = 64;
constexpr std::size_t kTraceparentSize = 55;

std::uint64_t NextRandom() {
  // splitmix64: one multiplication chain per id, where a random device would be a system call.
  thread_local std::uint64_t state = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

bool IsIdCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool IsHex(std::string_view text) {
  return text.find_first_not_of(core::kHexDigits) == text.npos;
}
bool IsZero(std::string_view text) {
  return text.find_first_not_of('0') == text.npos;
}

}  // namespace

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestRequestId &&
         std::ranges::all_of(text, IsIdCharacter);
}

std::string NewRequestId() {
  std::string id(16, '0');
  std::uint64_t bits = NextRandom();
  for (char& c : id) {
    c = core::kHexDigits[bits & 15];
    bits >>= 4;
  }
  return id;
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
                 "The server failed to answer; its log has the request's id.");
}

void LogEscaped(std::string_view what) {
  try {
    spdlog::critical("http: an exception in a reactor: {}", what);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
    // No memory for the line either.
  }
}

void LogHandshake(std::string_view peer, std::string_view why) {
  spdlog::debug("http: no TLS with {}: {}", peer, why.empty() ? "it is gone, or speaks none" : why);
}

}  // namespace tunehub::http
