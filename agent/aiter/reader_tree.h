// An engine's files on disk: those of a config folder, of a checkout or of site-packages.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/readers/reader.h"
#include "core/readers/tree_reader.h"

namespace tunehub::agent {

struct ReaderTree {
  std::vector<core::TreeEntry> entries;  // every file of its kind, by path
  std::vector<core::Finding> unread;     // files that are too large or cannot be read
};

// The store's config folders below `dir`, a checkout, site-packages or the package itself; empty:
// it holds none.
std::vector<std::filesystem::path> PackageFolders(const core::ReaderStore& store,
                                                  const std::filesystem::path& dir);

// The files of the reader's config folders, or, where `dir` holds none of them, all of `dir`; of
// TunableOp's `dir` may be a file. Errors: no_folder, no_files, too_many_files.
core::Result<ReaderTree> ReadReaderTree(const core::Reader& reader,
                                        const std::filesystem::path& dir);

}  // namespace tunehub::agent
