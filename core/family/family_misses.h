// The members "misses" and "hits" of a family file: the lines of AITER's log that ask for a row and
// find none, or find one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::core {

// A line of a log as text with places: "shape is M:{M}, N:{N}, not found". Matching is a few
// searches for the text between the places: no regular expression, no backtracking.

// The places that may hold anything up to the next text: a path, and what nobody reads.
inline constexpr std::string_view kFilePlace = "file", kAnyPlace = "*";
// Longer than a path may be on Linux; a place that long was no place.
inline constexpr std::size_t kMaxPlaceBytes = 4096;

class LineTemplate {
 public:
  // "{name?}" is a place that may be empty; as the end of the line it takes the word that stands
  // there. Errors: bad_template (no text before the first place, behind the last or between two; an
  // open brace).
  static Result<LineTemplate> Parse(std::string_view text);

  // True where `text` begins with such a line; `values` then holds what stands at each place, in
  // order. A place holds a word of [A-Za-z0-9_.:+-], or words and blanks where it has no name;
  // blanks and quotes around it are dropped, and Python's "<Kind.Name: 0>" is read as Kind.Name.
  bool Match(std::string_view text, std::vector<std::string_view>& values) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::string>& names() const { return names_; }  // "": a place without a name
  bool Holds(std::string_view part) const;  // in the text outside the places

 private:
  std::vector<std::string> texts_;  // one more than names_
  std::vector<std::string> names_;
  std::vector<bool> may_be_empty_;  // by place
};

// Precondition: the columns and untuned columns of `family` are read. What is wrong is added to the
// errors of `json`: a line that leaves a column of the untuned table open, an unknown column.
void ParseMisses(JsonObject& json, Family& family);

}  // namespace tunehub::core
