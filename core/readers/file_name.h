// Converts between a file's path below a reader's config folder and its key columns.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// A cell for each column of the store's family; "" if the path lacks the column, such as the
// member's.
using KeyCells = std::vector<std::string>;

struct ParsedPath {
  const ReaderStore* store = nullptr;
  KeyCells cells;
  bool guessed_op = false;  // the path has the op in lower case alone: its case is a guess
};

// A row's file: "triton_3_4_0/E=8,N=7168,device_name=NVIDIA_H200.json". Error no_name: no lookup of
// the reader can ask for this row.
Result<std::string> PathOf(const ReaderStore& store, const KeyCells& cells);
Result<std::string> PathOf(const ReaderStore& store, const Cells& cells);

// Errors: bad_name (the part and its position in the path, from 1), unreachable_name (the reader
// asks for another name, given in the detail), no_device_name.
Result<ParsedPath> ParsePath(const Reader& reader, std::string_view path);
Result<ParsedPath> ParsePath(const Reader& reader, const ReaderStore& store, std::string_view path);

// Whether a file is one of the store's, by its folder and the beginning of its name. `tail`: the
// part of the path that the store's grammar covers.
bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail);

// The device's name in the engine's newest lookups: vLLM asks for "NVIDIA_H200" on
// "NVIDIA_H200_NVL".
std::string AskedDevice(const Reader& reader, std::string_view device);

// Parses {"text": ",dtype={dtype}", "optional": true} or {"text": "_down", "sets": {"down": "1"}}.
NamePart ParsePart(JsonObject& json, const Family& family);
// Cells by their column's name, canonical.
std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family);

// Reads a path by one form of its names; after a failure it knows the position.
class NameMatcher {
 public:
  // `blanks`: false ignores blanks in the form, for a path without blanks.
  NameMatcher(const Family& family, const NameForm& form, std::string_view path, bool blanks);

  bool Match() { return MatchPart(0, 0); }
  KeyCells& cells() { return cells_; }                 // "": no part gives the column
  const std::string& lower() const { return lower_; }  // the cell of a lower-case place; "": none
  std::size_t lower_column() const { return lower_column_; }

  // The failure's place: the byte, from 0, and the parts that would have fitted there.
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

std::string LowerName(std::string_view cell);  // "GEMM-A8W8" -> "gemm_a8w8"
bool MayStand(const Family& family, const NamePlace& place, std::string_view cell);
std::string PlaceText(const NamePlace& place, std::string_view cell);

// The file that a reader takes, by the engine's rules.
struct FileChoice {
  std::string path;      // "": none, and AITER stops
  bool special = false;  // false: the default file
};
using Exists = std::function<bool(const std::string& path)>;

// The file that a lookup of a shape key reads; the cell of the member's column does not matter.
// * With a state: in the first folder with the default, the first special file, else the default.
//   The key's layout selects the search; "": the first search.
// * Without a state: PathOf, if that file exists.
FileChoice ChosenFile(const ReaderStore& store, const LookupState* state, const KeyCells& key,
                      const Exists& exists);

// The default file beside the file of this shape key. Error no_name.
Result<std::string> DefaultOf(const ReaderStore& store, KeyCells key);

// The newest state that reads files of all these layouts, else the oldest. Null: the store has no
// states.
const LookupState* StateOf(const ReaderStore& store, const std::vector<std::string>& layouts);

// The path of a file of an older layout in the layout that replaces it; "": no layout does. Errors:
// those of ParsePath and PathOf.
Result<std::string> SucceedingPath(const Reader& reader, const ReaderStore& store,
                                   std::string_view path);

}  // namespace tunehub::core
