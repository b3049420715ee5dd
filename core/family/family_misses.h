// The members "misses" and "hits" of a family file: AITER's log lines about lookups that found no
// row, or one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::core {

// Places that match anything up to the next text: a path, and text that is not read.
inline constexpr std::string_view kFilePlace = "file", kAnyPlace = "*";
// A match longer than any path on Linux is no match.
inline constexpr std::size_t kMaxPlaceBytes = 4096;

// A log line with places: "shape is M:{M}, N:{N}, not found". Matches by a few searches for the
// text between the places, without regular expressions and backtracking.
class LineTemplate {
 public:
  // "{name?}" is a place that may be empty; at the end of the line it takes one word. Errors:
  // bad_template (no text before, behind or between places, or an open brace).
  static Result<LineTemplate> Parse(std::string_view text);

  // True if `text` begins with such a line; `values` then holds the text of each place, in order. A
  // place matches a word of [A-Za-z0-9_.:+-]; without a name also words with blanks. Blanks and
  // quotes around the match are dropped; Python's "<Kind.Name: 0>" is read as Kind.Name.
  bool Match(std::string_view text, std::vector<std::string_view>& values) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::string>& names() const { return names_; }  // "": unnamed
  bool Holds(std::string_view part) const;                          // in the text outside of places

 private:
  std::vector<std::string> texts_;  // one more than names_
  std::vector<std::string> names_;
  std::vector<bool> may_be_empty_;  // by place
};

// Precondition: the columns and untuned columns of `family` are read. Adds errors to `json`: an
// unknown column, or a line that gives no value for a column of the untuned table.
void ParseMisses(JsonObject& json, Family& family);

}  // namespace tunehub::core
