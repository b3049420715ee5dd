// A file's path below a reader's config folder, and the key columns that it stands for: each can be
// had from the other.
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

// By the store's family's columns; what a path does not say is "", so also the member's own column.
using KeyCells = std::vector<std::string>;

struct ParsedPath {
  const ReaderStore* store = nullptr;
  KeyCells cells;
  bool guessed_op = false;  // the path has the op in lower case alone
};

// "triton_3_4_0/E=8,N=7168,device_name=NVIDIA_H200.json". Error no_name: no lookup of the reader
// ever asks for such a row.
Result<std::string> PathOf(const ReaderStore& store, const KeyCells& cells);
Result<std::string> PathOf(const ReaderStore& store, const Cells& cells);

// Errors: bad_name (the part and its position in the path, from 1), unreachable_name (the file
// would be found by another name, which the detail has).
Result<ParsedPath> ParsePath(const Reader& reader, std::string_view path);
Result<ParsedPath> ParsePath(const Reader& reader, const ReaderStore& store, std::string_view path);

// Whether a file is one of the store's by where it lies and how its name begins. `tail`: as much of
// the path as the store's grammar is about.
bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail);

// The name that the engine asks for on a device, by its newest rules: "NVIDIA_H200_NVL" is
// "NVIDIA_H200" to vLLM.
std::string AskedDevice(const Reader& reader, std::string_view device);

// {"text": ",dtype={dtype}", "optional": true} or {"text": "_down", "sets": {"down": "1"}}.
NamePart ParsePart(JsonObject& json, const Family& family);
// Cells by their column's name, canonical.
std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family);

// Reads a path by one form of its names, and knows how far it came where it cannot.
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

// Which file a reader takes: the engines' rules restated.
struct FileChoice {
  std::string path;
  bool special = false;  // else the default file
};
using Exists = std::function<bool(const std::string& path)>;

// The file of a key (its member's column is not looked at). By a state: in the first folder that
// has the default the special files, one after the other, then the default. The key's layout says
// which search is meant, "" the first. Without a state: the path itself. An empty path: none, at
// which AITER stops.
FileChoice ChosenFile(const ReaderStore& store, const LookupState* state, const KeyCells& key,
                      const Exists& exists);

// The default file beside a file of this key. Error no_name.
Result<std::string> DefaultOf(const ReaderStore& store, KeyCells key);

// The newest state that reads files of all these layouts; else the oldest. Null: the store has
// none.
const LookupState* StateOf(const ReaderStore& store, const std::vector<std::string>& layouts);

// The path of a file of an older layout in the layout that takes its place; "" where that is its
// own. Errors: those of ParsePath and PathOf.
Result<std::string> SucceedingPath(const Reader& reader, const ReaderStore& store,
                                   std::string_view path);

}  // namespace tunehub::core
