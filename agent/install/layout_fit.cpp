#include "agent/install/layout_fit.h"

#include <fmt/core.h>

#include <string>
#include <system_error>
#include <utility>

#include "core/readers/file_name.h"
#include "core/readers/lookup.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Whether the folder has files of the layouts that take another's place, and none of those others.
bool HasNewLayoutAlone(const core::Reader& reader, const core::ReaderStore& store,
                       const fs::path& folder) {
  bool has_new = false;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    std::string tail;
    const std::string name = it->path().lexically_relative(folder).generic_string();
    if (!core::IsOf(store, name, tail)) continue;
    const auto parsed = core::ParsePath(reader, store, tail);
    if (!parsed.ok()) continue;
    if (store.successors.contains(parsed->cells[store.layout])) return false;
    has_new = true;
  }
  return has_new;
}

core::Error WrongLayout(const std::string& file, const std::string& why) {
  return {"wrong_layout",
          fmt::format("{}: the engine's folder has the nested layout alone, and {}", file, why)};
}

// AITER raises for an op whose folder has none.
bool HasDefault(const core::Reader& reader, const Tree& tree, const std::string& name,
                const fs::path& folder) {
  const auto parsed = core::ParsePath(reader, *tree.store, name);
  const auto fallback = core::DefaultOf(*tree.store, parsed->cells);
  std::error_code error;
  return fallback.ok() && (tree.files.contains(*fallback) || fs::exists(folder / *fallback, error));
}

}  // namespace

core::Result<std::size_t> FitLayout(const core::Reader& reader, Tree& tree,
                                    const fs::path& folder) {
  // Files of other schemas lie in one layout alone.
  if (tree.store->layout == core::kNoColumn) return std::size_t{0};
  if (!HasNewLayoutAlone(reader, *tree.store, folder)) return std::size_t{0};
  std::map<std::string, std::string> moved;  // from where, by the new path
  for (const auto& [name, bytes] : tree.files) {
    const auto next = core::SucceedingPath(reader, *tree.store, name);
    if (!next.ok()) return WrongLayout(name, next.error().detail);
    if (next->empty()) continue;
    const auto other = tree.files.find(*next);
    if (other != tree.files.end() && other->second != bytes) {
      return WrongLayout(name, fmt::format("'{}', its name there, says something else", *next));
    }
    moved.emplace(*next, name);
  }
  for (const auto& [next, name] : moved) {
    auto file = tree.files.extract(name);
    tree.files.insert_or_assign(next, std::move(file.mapped()));
  }
  for (const auto& [next, name] : moved) {
    if (HasDefault(reader, tree, next, folder)) continue;
    return WrongLayout(name, fmt::format("'{}' would have no DEFAULT.json beside it, for which "
                                         "AITER raises",
                                         next));
  }
  return moved.size();
}

}  // namespace tunehub::agent
