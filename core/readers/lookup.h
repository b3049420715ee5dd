// Which file a reader takes: the engines' rules restated.
#pragma once

#include <functional>
#include <string>

#include "core/readers/file_name.h"
#include "core/readers/reader.h"

namespace tunehub::core {

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
