// Regular expressions and globs of module names, as checkpoints have them. They come from
// strangers: a program of bounded size is run with bounded steps, without recursion over the text.
// std::regex recurses as deep as the text is long and may take exponential time; RE2 lacks the
// look-aheads that published checkpoints use.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

class Pattern {
 public:
  // Of all matches of one config; a published config needs a thousandth of it.
  static constexpr std::int64_t kMostSteps = 30'000'000;

  // As Python's `re` reads it: no back-references, flags or look-behinds. Error bad_pattern: why.
  static Result<Pattern> Regex(std::string_view text);
  // As Python's fnmatch reads it.
  static Result<Pattern> Glob(std::string_view text);

  // Whether it matches from the text's start: a glob all of it, a regular expression any part.
  // Takes what it needs from `steps`; below 0 there is no answer.
  bool Matches(std::string_view text, std::int64_t& steps) const;

 private:
  friend class PatternParser;
  enum class Op {
    kSet,
    kSplit,
    kJump,
    kStart,
    kEnd,
    kWordEdge,
    kNoWordEdge,
    kAhead,
    kNotAhead,
    kMatch
  };
  // Distances are from the step itself, so that a part can be copied.
  struct Step {
    Op op = Op::kMatch;
    int to = 0, or_to = 0;  // of a kSet `to` is the place of its set
  };
  using Set = std::bitset<256>;

  bool Run(std::size_t from, std::size_t at, std::string_view text, std::int64_t& steps) const;

  std::vector<Step> steps_;
  std::vector<Set> sets_;
};

}  // namespace tunehub::core
