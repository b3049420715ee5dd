// Parses the members "misses" and "hits" of a family file. They describe AITER's log lines about
// lookups without a row ("misses") and with a row ("hits").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::core {

// Two places that match any text up to the next literal text: a path, and text to skip.
inline constexpr std::string_view kFilePlace = "file", kAnyPlace = "*";
// Match rejects a longer text for a place, because no path on Linux is longer.
inline constexpr std::size_t kMaxPlaceBytes = 4096;

// A log line with places: "shape is M:{M}, N:{N}, not found". Match searches for the text between
// the places. It uses no regular expressions and no backtracking.
class LineTemplate {
 public:
  // "{name?}" is a place that may be empty. At the end of the line, it matches one word. Errors:
  // bad_template if text before, after or between places is missing, or a brace stays open.
  static Result<LineTemplate> Parse(std::string_view text);

  // True if `text` begins with this line; `values` then receives the text of each place, in order.
  // A named place matches a word of [A-Za-z0-9_.:+-]; an unnamed place also matches words with
  // blanks. Match drops surrounding blanks and quotes. It reads Python's "<Kind.Name: 0>" as
  // Kind.Name.
  bool Match(std::string_view text, std::vector<std::string_view>& values) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<std::string>& names() const { return names_; }  // "": unnamed
  // true if the text outside of places contains `part`
  bool Holds(std::string_view part) const;

 private:
  std::vector<std::string> texts_;  // one more than names_
  std::vector<std::string> names_;
  std::vector<bool> may_be_empty_;  // by place
};

// Precondition: the columns and untuned columns of `family` are parsed. Adds an error to `json` for
// each unknown column. Also adds an error for a line without a value for a column of the untuned
// table.
void ParseMisses(JsonObject& json, Family& family);

}  // namespace tunehub::core
