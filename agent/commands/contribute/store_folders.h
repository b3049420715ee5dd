// Where the files of a reader's store lie in a tree.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

// The package's config folders, the newest first; or the tree itself, where it has none and some of
// its files are the store's. Errors: no_folder, and those of reading the tree.
core::Result<std::vector<std::filesystem::path>> StoreFolders(const core::Reader& reader,
                                                              const core::ReaderStore& store,
                                                              const std::filesystem::path& tree);

}  // namespace tunehub::agent
