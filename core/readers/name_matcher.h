// Reads a path by one form of its names, and knows how far it came where it cannot.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_object.h"
#include "core/readers/file_name.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// {"text": ",dtype={dtype}", "optional": true} or {"text": "_down", "sets": {"down": "1"}}.
NamePart ParsePart(JsonObject& json, const Family& family);
// Cells by their column's name, canonical.
std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family);

class NameMatcher {
 public:
  // `blanks`: whether a blank counts; a path without any is compared with names without any.
  NameMatcher(const Family& family, const NameForm& form, std::string_view path, bool blanks);

  bool Match() { return MatchPart(0, 0); }
  KeyCells& cells() { return cells_; }                 // "" where no part says a column
  const std::string& lower() const { return lower_; }  // of a place in lower case; "": none
  std::size_t lower_column() const { return lower_column_; }

  // Where it came to nothing: the byte, from 0, and the parts that would have been right there.
  std::size_t furthest() const { return furthest_; }
  const std::vector<std::string>& wanted() const { return wanted_; }

 private:
  bool MatchPart(std::size_t part, std::size_t at);
  bool MatchPlace(std::size_t part, std::size_t place, std::size_t at);
  bool TryValue(std::size_t part, std::size_t place, std::size_t at, std::size_t end);
  bool EndPart(std::size_t part, std::size_t at);
  bool Literal(const std::string& text, std::size_t part, std::size_t& at);
  bool Fail(std::size_t part, std::size_t at);
  bool Takes(const NamePlace& place, std::string_view value, std::string& cell) const;

  const Family& family_;
  const NameForm& form_;
  const std::string_view path_;
  const bool blanks_;
  KeyCells cells_;
  std::string lower_;
  std::size_t lower_column_ = kNoColumn;
  std::size_t furthest_ = 0;
  std::vector<std::string> wanted_;
};

// The texts of a place.
std::string LowerName(std::string_view cell);  // "GEMM-A8W8" -> "gemm_a8w8"
bool MayStand(const Family& family, const NamePlace& place, std::string_view cell);
std::string PlaceText(const NamePlace& place, std::string_view cell);

}  // namespace tunehub::core
