// Regular expressions and globs of module names, as checkpoints have them. They come from
// strangers: PCRE2 reads short ones alone, and each step of a match is counted. std::regex may take
// exponential time; RE2 lacks the look-aheads that published checkpoints use.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/result.h"

struct pcre2_real_code_8;

namespace tunehub::core {

class Pattern {
 public:
  // Of all matches of one config; a published config needs a thousandth of it.
  static constexpr std::int64_t kMostSteps = 30'000'000;

  // As Python's re.match. Error bad_pattern: why.
  static Result<Pattern> Regex(std::string_view text);
  // As Python's fnmatch: all of the name.
  static Result<Pattern> Glob(std::string_view text);

  // Takes what it needs from `steps`; below 0 there is no answer.
  bool Matches(std::string_view text, std::int64_t& steps) const;

 private:
  using Code = std::shared_ptr<const pcre2_real_code_8>;
  explicit Pattern(Code code) : code_(std::move(code)) {}
  static Result<Pattern> Compile(std::string_view shown, std::string_view regex, unsigned options);

  Code code_;
};

}  // namespace tunehub::core
