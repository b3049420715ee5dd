#include <algorithm>

#include "core/readers/file_name.h"

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
    key[column] = store.family->columns[column].DefaultCell();
  }
  return key;
}

// Of one layout, where it has a default file.
FileChoice ChosenIn(const ReaderStore& store, const LookupState& state, const KeyCells& key,
                    const std::string& layout, const Exists& exists) {
  const std::string fallback = PathIn(store, Only(store, key, {}), layout);
  if (fallback.empty() || !exists(fallback)) return {};
  for (const auto& kept : state.specials) {
    const std::string path = PathIn(store, Only(store, key, kept), layout);
    if (path != fallback && !path.empty() && exists(path)) return {path, true};
  }
  return {fallback, false};
}

}  // namespace

FileChoice ChosenFile(const ReaderStore& store, const LookupState* state, const KeyCells& key,
                      const Exists& exists) {
  if (state == nullptr) {
    const auto path = PathOf(store, key);
    if (!path.ok() || !exists(*path)) return {};
    return {*path};
  }
  const std::string& asked = key[store.layout];
  for (const auto& search : state->searches) {
    if (!asked.empty() && std::ranges::find(search, asked) == search.end()) continue;
    for (const std::string& layout : search) {
      FileChoice chosen = ChosenIn(store, *state, key, layout, exists);
      if (!chosen.path.empty()) return chosen;
    }
    break;  // a caller asks for the layouts of one search
  }
  return {};
}

Result<std::string> DefaultOf(const ReaderStore& store, KeyCells key) {
  return PathOf(store, Only(store, std::move(key), {}));
}

const LookupState* StateOf(const ReaderStore& store, const std::vector<std::string>& layouts) {
  for (const LookupState& state : store.states) {
    const auto reads = [&](const std::string& layout) { return state.Reads(layout); };
    if (std::ranges::all_of(layouts, reads)) return &state;
  }
  return store.states.empty() ? nullptr : &store.states.back();
}

Result<std::string> SucceedingPath(const Reader& reader, const ReaderStore& store,
                                   std::string_view path) {
  if (store.successors.empty()) return std::string();
  auto parsed = ParsePath(reader, store, path);
  if (!parsed.ok()) return parsed.error();
  const auto successor = store.successors.find(parsed->cells[store.layout]);
  if (successor == store.successors.end()) return std::string();
  parsed->cells[store.layout] = successor->second;
  return PathOf(store, parsed->cells);
}

}  // namespace tunehub::core
