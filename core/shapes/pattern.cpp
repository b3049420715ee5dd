#include "core/shapes/pattern.h"

#include <fmt/core.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "core/base/excerpt.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kMaxPattern = 4096;

template <auto Free>
struct FreeBy {
  void operator()(auto* it) const { Free(it); }
};

PCRE2_SPTR BytesOf(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

Error BadPattern(std::string_view shown, int code) {
  std::array<PCRE2_UCHAR, 128> why = {};
  pcre2_get_error_message(code, why.data(), why.size());
  return {"bad_pattern", fmt::format("'{}' is no pattern: {}", Excerpt(shown),
                                     reinterpret_cast<const char*>(why.data()))};
}

// Before each item of a pattern that is tried.
int CountStep(pcre2_callout_block* /*block*/, void* steps) {
  return --*static_cast<std::int64_t*>(steps) < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

}  // namespace

Result<Pattern> Pattern::Compile(std::string_view shown, std::string_view regex, unsigned options) {
  if (shown.size() > kMaxPattern) return BadPattern(shown, PCRE2_ERROR_PATTERN_STRING_TOO_LONG);
  constexpr unsigned kAlways =
      PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
  int error = 0;
  std::size_t at = 0;
  pcre2_code* const code =
      pcre2_compile(BytesOf(regex), regex.size(), kAlways | options, &error, &at, nullptr);
  if (code == nullptr) return BadPattern(shown, error);
  return Pattern(Code(code, FreeBy<pcre2_code_free>()));
}

Result<Pattern> Pattern::Regex(std::string_view text) {
  return Compile(text, text, PCRE2_ANCHORED);
}

Result<Pattern> Pattern::Glob(std::string_view text) {
  constexpr unsigned kOptions =
      PCRE2_CONVERT_GLOB_NO_WILD_SEPARATOR | PCRE2_CONVERT_GLOB_NO_STARSTAR;
  PCRE2_UCHAR* regex = nullptr;
  std::size_t size = 0;
  const int code =
      pcre2_pattern_convert(BytesOf(text), text.size(), kOptions, &regex, &size, nullptr);
  if (code != 0) return BadPattern(text, code);
  const std::unique_ptr<PCRE2_UCHAR, FreeBy<pcre2_converted_pattern_free>> held(regex);
  return Compile(text, {reinterpret_cast<const char*>(regex), size}, 0);
}

bool Pattern::Matches(std::string_view text, std::int64_t& steps) const {
  const std::unique_ptr<pcre2_match_data, FreeBy<pcre2_match_data_free>> data(
      pcre2_match_data_create_from_pattern(code_.get(), nullptr));
  const std::unique_ptr<pcre2_match_context, FreeBy<pcre2_match_context_free>> limits(
      pcre2_match_context_create(nullptr));
  pcre2_set_callout(limits.get(), CountStep, &steps);
  const int found =
      pcre2_match(code_.get(), BytesOf(text), text.size(), 0, 0, data.get(), limits.get());
  if (found < 0 && found != PCRE2_ERROR_NOMATCH) steps = -1;
  return found >= 0;
}

}  // namespace tunehub::core
