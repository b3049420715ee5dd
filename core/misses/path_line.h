// A line of a log that names files: "Config file not found at {path}, you can create them with".
// A path ends in .json and may hold blanks and commas, so it is no word of a LineTemplate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

class PathLine {
 public:
  // Places: "{path}" a path; "{paths}" one or several, "a, b" or Python's list of texts; "{used}"
  // the path of what was read in its place; "{}" a word. Text may follow the last one. Errors:
  // bad_template (no text before the first place or between two, another name, an open brace, no
  // path).
  static Result<PathLine> Parse(std::string_view text);

  struct Paths {
    std::vector<std::string_view> missed;
    std::string_view used;  // "": the line has no such place
  };
  // True where `text` begins with such a line.
  bool Match(std::string_view text, Paths& paths) const;

  const std::string& head() const { return texts_.front(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  enum class Place { kPath, kPaths, kUsed, kWord };

  // Takes off `text` the path or paths that it begins with; false: there is none.
  static bool TakePlace(Place place, std::string_view& text, Paths& paths);

  std::vector<std::string> texts_;  // one more than places_; the last may be empty
  std::vector<Place> places_;
};

}  // namespace tunehub::core
