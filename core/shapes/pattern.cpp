#include "core/shapes/pattern.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/shapes/pattern_parser.h"

namespace tunehub::core {
namespace {

bool IsWord(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
}

bool IsWordEdge(std::string_view text, std::size_t at) {
  return IsWord(text, at) != (at > 0 && IsWord(text, at - 1));
}

}  // namespace

Result<Pattern> Pattern::Regex(std::string_view text) {
  return PatternParser(text).Regex();
}

Result<Pattern> Pattern::Glob(std::string_view text) {
  return PatternParser(text).Glob();
}

bool Pattern::Matches(std::string_view text, std::int64_t& steps) const {
  return Run(0, 0, text, steps);
}

// Each pair of a step and a place is tried once, so the time is their product, whatever the
// pattern.
bool Pattern::Run(std::size_t from, std::size_t at, std::string_view text,
                  std::int64_t& steps) const {
  std::vector<bool> seen(steps_.size() * (text.size() + 1));
  steps -= static_cast<std::int64_t>(seen.size() / 64);
  std::vector<std::pair<std::size_t, std::size_t>> open = {{from, at}};
  const auto add = [&](std::size_t step, int distance, std::size_t place) {
    open.emplace_back(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(step) + distance),
                      place);
  };
  while (!open.empty()) {
    if (--steps < 0) return false;
    const auto [step, place] = open.back();
    open.pop_back();
    if (seen[step * (text.size() + 1) + place]) continue;
    seen[step * (text.size() + 1) + place] = true;
    const Step& it = steps_[step];
    switch (it.op) {
      case Op::kMatch:
        return true;
      case Op::kSet:
        if (place < text.size() &&
            sets_[static_cast<std::size_t>(it.to)][static_cast<unsigned char>(text[place])]) {
          add(step, 1, place + 1);
        }
        break;
      case Op::kSplit:
        add(step, it.or_to, place);
        add(step, it.to, place);
        break;
      case Op::kJump:
        add(step, it.to, place);
        break;
      case Op::kStart:
        if (place == 0) add(step, 1, place);
        break;
      case Op::kEnd:
        if (place == text.size()) add(step, 1, place);
        break;
      case Op::kWordEdge:
      case Op::kNoWordEdge:
        if (IsWordEdge(text, place) == (it.op == Op::kWordEdge)) add(step, 1, place);
        break;
      case Op::kAhead:
      case Op::kNotAhead:
        if (Run(step + 1, place, text, steps) == (it.op == Op::kAhead)) add(step, it.to, place);
        break;
    }
  }
  return false;
}

}  // namespace tunehub::core
