#include "core/shapes/pattern_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/excerpt.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kMostOfPattern = 8192;  // steps
constexpr int kDeepest = 16;                  // groups within one another
constexpr int kMostRepeats = 1000;

using Set = std::bitset<256>;

Set SetOf(int (*is)(int)) {
  Set set;
  for (int c = 0; c < 128; ++c) set[static_cast<std::size_t>(c)] = is(c) != 0;
  return set;
}

std::size_t PlaceOf(char c) {
  return static_cast<unsigned char>(c);
}

Set WordSet() {
  Set word = SetOf(std::isalnum);
  word.set(PlaceOf('_'));
  return word;
}

int Distance(std::size_t steps) {
  return static_cast<int>(steps);
}

}  // namespace

Result<Pattern> PatternParser::Done(Steps steps) {
  if (text_.size() > kLongestText) Fail("is too long");
  steps.push_back({});
  if (!why_.empty()) return Error{"bad_pattern", fmt::format("'{}' {}", Excerpt(text_), why_)};
  made_.steps_ = std::move(steps);
  return std::move(made_);
}

Result<Pattern> PatternParser::Regex() {
  Steps steps;
  if (text_.size() <= kLongestText) steps = Alternatives();
  if (why_.empty() && text_.size() <= kLongestText && at_ < text_.size())
    Fail("has a ')' too many");
  return Done(std::move(steps));
}

Result<Pattern> PatternParser::Glob() {
  Steps steps;
  while (text_.size() <= kLongestText && at_ < text_.size() && why_.empty()) {
    if (Take("*")) {
      Append(steps, Optional(OfSet(Set().set()), true));
    } else if (Take("?")) {
      Append(steps, OfSet(Set().set()));
    } else if (text_[at_] == '[' && text_.find(']', at_ + 2) != text_.npos) {
      ++at_;
      Append(steps, OfSet(Class('!')));
    } else {
      Append(steps, OfSet(Set().set(PlaceOf(text_[at_++]))));
    }
  }
  Append(steps, {{Op::kEnd}});
  return Done(std::move(steps));
}

PatternParser::Steps PatternParser::Alternatives() {
  Steps steps = Sequence();
  while (why_.empty() && Take("|")) {
    const Steps other = Sequence();
    Steps both = {{Op::kSplit, 1, Distance(steps.size()) + 2}};
    Append(both, steps);
    Append(both, {{Op::kJump, Distance(other.size()) + 1}});
    Append(both, other);
    steps = std::move(both);
  }
  return steps;
}

PatternParser::Steps PatternParser::Sequence() {
  Steps steps;
  while (why_.empty() && at_ < text_.size() && text_[at_] != '|' && text_[at_] != ')') {
    Append(steps, Repeated(Atom()));
  }
  return steps;
}

PatternParser::Steps PatternParser::Atom() {
  if (Take("(")) return Group();
  if (Take("[")) return OfSet(Class('^'));
  if (Take("^") || Take("\\A")) return {{Op::kStart}};
  if (Take("$") || Take("\\Z")) return {{Op::kEnd}};
  if (Take("\\b")) return {{Op::kWordEdge}};
  if (Take("\\B")) return {{Op::kNoWordEdge}};
  const char c = text_[at_++];
  if (c == '.') return OfSet(Set().set().reset(PlaceOf('\n')));
  if (c == '*' || c == '+' || c == '?') Fail("repeats nothing");
  if (c != '\\') return OfSet(Set().set(PlaceOf(c)));
  if (at_ == text_.size()) Fail("ends in a backslash");
  return why_.empty() ? OfSet(Escaped(text_[at_++])) : Steps();
}

PatternParser::Steps PatternParser::Group() {
  if (++nesting_ > kDeepest) Fail("nests too many groups");
  bool ahead = false, holds = true;
  if (Take("?=") || Take("?!")) {
    ahead = true;
    holds = text_[at_ - 1] == '=';
  } else if (Take("?P<")) {
    const std::size_t end = text_.find('>', at_);
    if (end == text_.npos) Fail("has a name without an end");
    at_ = std::min(text_.size(), end) + (end == text_.npos ? 0 : 1);
  } else if (!Take("?:") && at_ < text_.size() && text_[at_] == '?') {
    Fail("has a group of a kind that is not read");
  }
  Steps inner = why_.empty() ? Alternatives() : Steps();
  if (why_.empty() && !Take(")")) Fail("lacks a ')'");
  --nesting_;
  if (!ahead) return inner;
  Steps steps = {{holds ? Op::kAhead : Op::kNotAhead, Distance(inner.size()) + 2}};
  Append(steps, inner);
  Append(steps, {{Op::kMatch}});
  return steps;
}

PatternParser::Steps PatternParser::Repeated(Steps atom) {
  while (why_.empty() && at_ < text_.size()) {
    int least = 0, most = 1;
    if (Take("*")) {
      most = -1;
    } else if (Take("+")) {
      least = 1;
      most = -1;
    } else if (!Take("?") && !Counts(least, most)) {
      break;
    }
    Take("?");  // lazy: what matches is the same
    Steps steps;
    for (int i = 0; i < least && why_.empty(); ++i) Append(steps, atom);
    if (most < 0) Append(steps, Optional(atom, true));
    for (int i = least; i < most && why_.empty(); ++i) Append(steps, Optional(atom, false));
    atom = std::move(steps);
  }
  return atom;
}

// {2}, {2,} and {2,5}; anything else is text, as in Python.
bool PatternParser::Counts(int& least, int& most) {
  if (text_[at_] != '{') return false;
  std::size_t at = at_ + 1;
  const auto number = [&](int& value) {
    const std::size_t begin = at;
    for (value = 0; at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0;
         ++at) {
      value = std::min(kMostRepeats + 1, value * 10 + (text_[at] - '0'));
    }
    return at > begin;
  };
  if (!number(least)) return false;
  most = least;
  if (at < text_.size() && text_[at] == ',') {
    ++at;
    if (!number(most)) most = -1;
  }
  if (at >= text_.size() || text_[at] != '}') return false;
  at_ = at + 1;
  if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least))
    Fail("repeats too often");
  return true;
}

// After its '['.
Set PatternParser::Class(char negation) {
  const bool others = Take({&negation, 1});
  Set set;
  for (bool first = true; why_.empty(); first = false) {
    if (at_ >= text_.size()) {
      Fail("lacks a ']'");
      break;
    }
    char c = text_[at_++];
    if (c == ']' && !first) break;
    if (c == '\\' && at_ < text_.size()) {
      const Set escaped = Escaped(text_[at_++]);
      set |= escaped;
      if (escaped.count() != 1) continue;
      c = text_[at_ - 1];
    }
    if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
      for (std::size_t i = PlaceOf(c); i <= PlaceOf(text_[at_ + 1]); ++i) set.set(i);
      at_ += 2;
    } else {
      set.set(PlaceOf(c));
    }
  }
  return others ? ~set : set;
}

Set PatternParser::Escaped(char c) {
  switch (c) {
    case 'd':
      return SetOf(std::isdigit);
    case 'D':
      return ~SetOf(std::isdigit);
    case 'w':
      return WordSet();
    case 'W':
      return ~WordSet();
    case 's':
      return SetOf(std::isspace);
    case 'S':
      return ~SetOf(std::isspace);
    default:
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) Fail("has an escape that is not read");
      return Set().set(PlaceOf(c));
  }
}

PatternParser::Steps PatternParser::OfSet(const Set& set) {
  made_.sets_.push_back(set);
  return {{Op::kSet, Distance(made_.sets_.size() - 1)}};
}

PatternParser::Steps PatternParser::Optional(Steps part, bool again) {
  const int size = Distance(part.size());
  Steps steps = {{Op::kSplit, 1, size + (again ? 2 : 1)}};
  Append(steps, part);
  if (again) Append(steps, {{Op::kJump, -size - 1}});
  return steps;
}

void PatternParser::Append(Steps& to, const Steps& part) {
  to.insert(to.end(), part.begin(), part.end());
  if (to.size() > kMostOfPattern) Fail("is too large");
}

bool PatternParser::Take(std::string_view what) {
  if (!text_.substr(at_).starts_with(what)) return false;
  at_ += what.size();
  return true;
}

void PatternParser::Fail(const char* why) {
  if (why_.empty()) why_ = why;
}

}  // namespace tunehub::core
