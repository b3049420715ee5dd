#include "core/readers/lookup.h"

#include <algorithm>

#include "core/readers/name_parts.h"

namespace tunehub::core {
namespace {

// "" where nothing can be named so.
std::string PathIn(const ReaderStore& store, KeyCells key, const std::string& layout) {
  key[store.layout] = layout;
  const auto path = PathOf(store, key);
  return path.ok() ? *path : std::string();
}

// Of what tells special files apart only `kept`.
KeyCells Only(const ReaderStore& store, KeyCells key, const std::vector<std::size_t>& kept) {
  for (const std::size_t column : store.special) {
    if (std::ranges::find(kept, column) != kept.end()) continue;
    key[column] = AbsentCell(store.family->columns[column]);
  }
  return key;
}

// Of one layout, where it has a default file.
FileChoice ChosenIn(const ReaderStore& store, const KeyCells& key, const std::string& layout,
                    const std::function<bool(const std::string&)>& exists) {
  const std::string fallback = PathIn(store, Only(store, key, {}), layout);
  if (fallback.empty() || !exists(fallback)) return {};
  for (const auto& kept : store.specials) {
    const std::string path = PathIn(store, Only(store, key, kept), layout);
    if (path != fallback && !path.empty() && exists(path)) return {path, true};
  }
  return {fallback, false};
}

}  // namespace

FileChoice ChosenFile(const ReaderStore& store, const KeyCells& key,
                      const std::function<bool(const std::string&)>& exists) {
  if (store.searches.empty()) {
    const auto path = PathOf(store, key);
    if (!path.ok() || !exists(*path)) return {};
    return {*path};
  }
  const std::string& asked = key[store.layout];
  for (const auto& search : store.searches) {
    if (!asked.empty() && std::ranges::find(search, asked) == search.end()) continue;
    for (const std::string& layout : search) {
      FileChoice chosen = ChosenIn(store, key, layout, exists);
      if (!chosen.path.empty()) return chosen;
    }
    break;  // a caller asks for the layouts of one search
  }
  return {};
}

}  // namespace tunehub::core
