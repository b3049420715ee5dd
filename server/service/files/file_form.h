// Tuned rows as a reader's files: one of them, or all of a store as a tree.
#pragma once

#include <string>
#include <vector>

#include "core/readers/reader.h"

namespace tunehub::service {

// A file's key, but for its members: column and canonical value.
using FileCells = std::vector<std::pair<std::size_t, std::string>>;

struct FileForm {
  const core::Reader* reader = nullptr;
  const core::ReaderStore* store = nullptr;
  std::string path = {};                  // of the one file, below the reader's folder; "": a tree
  std::vector<std::string> devices = {};  // the names whose files these are; empty: all there are
  // Names of devices of the same gfx and CU count, whose rows fill what those lack; empty: none's.
  std::vector<std::string> siblings = {};
  std::string from = {};     // the engine whose rows fill what is still missing; "": none's
  std::string version = {};  // of those rows' folder, theirs or the reader's own; "": their newest
  // The family's column of such versions; kNoColumn: no reader of it has them in its names.
  std::size_t version_column = core::kNoColumn;
  FileCells cells = {};  // of the one file; of a tree its engine alone

  // Whether the reader's own names say a version.
  bool has_versions() const;
  bool tree() const { return path.empty(); }
  std::string Text() const;  // equal for forms of one answer
};

// The column that a store's names have as a version folder; kNoColumn: they have none.
std::size_t VersionColumn(const core::ReaderStore& store);
std::size_t VersionColumn(const core::Readers& readers, const core::Family& family);

}  // namespace tunehub::service
