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
// The file of a key (its member's column is not looked at): for stores with a default file the
// folder that has the default, there the special files, (B, N, K) or the named sizes before (N, K),
// then the default. The key's layout says which search is meant, "" the first. An empty path: none,
// at which AITER stops.
FileChoice ChosenFile(const ReaderStore& store, const KeyCells& key,
                      const std::function<bool(const std::string& path)>& exists);

}  // namespace tunehub::core
