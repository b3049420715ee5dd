#include "agent/commands/contribute/store_folders.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/readers/reader_tree.h"
#include "core/readers/file_name.h"

namespace tunehub::agent {

namespace fs = std::filesystem;

core::Result<std::vector<fs::path>> StoreFolders(const core::Reader& reader,
                                                 const core::ReaderStore& store,
                                                 const fs::path& tree) {
  std::error_code error;
  const fs::path whole = fs::canonical(tree, error);
  if (error || !fs::is_directory(whole, error)) {
    return core::Error{"no_folder", tree.string() + " is no folder"};
  }
  auto folders = PackageFolders(store, whole);
  if (!folders.empty()) return folders;
  const auto files = ReadReaderTree(reader, whole);
  const bool any = files.ok() && std::ranges::any_of(files->entries, [&](const auto& entry) {
                     std::string tail;
                     return core::IsOf(store, entry.name, tail);
                   });
  if (any) return std::vector<fs::path>{whole};
  const bool none =
      files.ok() || files.error().code == "no_files" || files.error().code == "no_folder";
  if (!none) return files.error();
  return core::Error{"no_folder",
                     fmt::format("{} has no folder {}, and none of its files is one of {}'s ({})",
                                 tree.string(), store.packages.front(), reader.title, store.title)};
}

}  // namespace tunehub::agent
