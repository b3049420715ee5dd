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

// One cell for each column of the store's family; "" for a column that the path lacks, such as the
// member's column.
using KeyCells = std::vector<std::string>;

struct ParsedPath {
  const ReaderStore* store = nullptr;
  KeyCells cells;
  bool guessed_op = false;  // the path spells the operation in lower case; its real case is a guess
};

// Returns the path of a row's file: "triton_3_4_0/E=8,N=7168,device_name=NVIDIA_H200.json". Errors:
// no_name if no lookup of the reader can find this row.
Result<std::string> PathOf(const ReaderStore& store, const KeyCells& cells);
Result<std::string> PathOf(const ReaderStore& store, const Cells& cells);

// Errors: bad_name, with the faulty part and its position in the path, from 1; unreachable_name,
// with the name for which the reader searches instead; no_device_name.
Result<ParsedPath> ParsePath(const Reader& reader, std::string_view path);
Result<ParsedPath> ParsePath(const Reader& reader, const ReaderStore& store, std::string_view path);

// True if the folder and the beginning of the name show that a file belongs to the store. `tail`
// receives the part of the path that the store's grammar covers.
bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail);

// Returns the name under which the newest engine searches for the device's files. On
// "NVIDIA_H200_NVL", vLLM searches for "NVIDIA_H200".
std::string AskedDevice(const Reader& reader, std::string_view device);

// Parses {"text": ",dtype={dtype}", "optional": true} or {"text": "_down", "sets": {"down": "1"}}.
NamePart ParsePart(JsonObject& json, const Family& family);
// Parses a JSON object of canonical cells by column name.
std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family);

// Reads a path by one form of file names. After a failure, furthest() is the failure's position.
class NameMatcher {
 public:
  // `blanks`: if false, ignores blanks in the form. Use false for a path without its blanks.
  NameMatcher(const Family& family, const NameForm& form, std::string_view path, bool blanks);

  bool Match() { return MatchPart(0, 0); }
  KeyCells& cells() { return cells_; }  // "": no part contains the column
  // the cell of a place in lower case; "": none
  const std::string& lower() const { return lower_; }
  std::size_t lower_column() const { return lower_column_; }

  // The position of the failure (a byte, from 0), and the parts that would have matched there.
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

// The file that the engine's rules choose.
struct FileChoice {
  std::string path;      // "": no file; AITER stops
  bool special = false;  // false: the default file
};
using Exists = std::function<bool(const std::string& path)>;

// Returns the file that a lookup of a shape key reads. Ignores the cell of the member's column.
// * With a state: searches the first folder that contains the default file. Returns the folder's
//   first special file, or else the default file. The layout in `key` selects the search; "": the
//   first search.
// * Without a state: returns PathOf if that file exists.
FileChoice ChosenFile(const ReaderStore& store, const LookupState* state, const KeyCells& key,
                      const Exists& exists);

// Returns the default file beside the file of this shape key. Errors: no_name.
Result<std::string> DefaultOf(const ReaderStore& store, KeyCells key);

// Returns the newest state of the engine that reads files of all these layouts, or else the oldest
// state. Null if the store has no states.
const LookupState* StateOf(const ReaderStore& store, const std::vector<std::string>& layouts);

// Converts a path in an older layout to the path in the layout that replaces the older one. Returns
// "" if no layout replaces it. Errors: as ParsePath and PathOf.
Result<std::string> SucceedingPath(const Reader& reader, const ReaderStore& store,
                                   std::string_view path);

}  // namespace tunehub::core
