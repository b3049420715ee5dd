// From the text of a regular expression or glob to the steps of a Pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/pattern.h"

namespace tunehub::core {

class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<Pattern> Regex();
  Result<Pattern> Glob();

 private:
  using Op = Pattern::Op;
  using Steps = std::vector<Pattern::Step>;

  Steps Alternatives();
  Steps Sequence();
  Steps Atom();
  Steps Group();
  Steps Repeated(Steps atom);
  bool Counts(int& least, int& most);
  Pattern::Set Class(char negation);
  Pattern::Set Escaped(char c);
  Steps OfSet(const Pattern::Set& set);
  Steps Optional(Steps part, bool again);
  void Append(Steps& to, const Steps& part);
  bool Take(std::string_view what);
  void Fail(const char* why);
  Result<Pattern> Done(Steps steps);

  std::string_view text_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  std::string why_;
  Pattern made_;
};

}  // namespace tunehub::core
