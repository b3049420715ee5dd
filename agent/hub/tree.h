// What GET /tree/{reader} gives: the files of one reader, as its folder holds them. The agent takes
// the hub's word for none of it: folders and variables are those of its own readers.
//
//   tree.json    {"format": "tunehub-tree", "version": 1, "reader": "vllm", "family": "...", ...}
//   SHA256SUMS   of the files
//   env.sh       sets the variable
//   vllm/...     the files
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

struct Tree {
  const core::ReaderStore* store = nullptr;  // whose files they are
  std::string value;  // what follows the folder in the variable: "/tunableop_results%d.csv"
  std::map<std::string, std::string> files;  // by the path below the folder
  std::string sha256;                        // of SHA256SUMS, which any compression leaves as it is
};

// `reader` must outlive the tree. Errors: those of SummedArchive, and bad_tree (no tree.json, one
// of another format, reader or family; a file that the reader would not look for or could not
// read).
core::Result<Tree> ParseTree(std::string_view tar_gz, const core::Reader& reader);

}  // namespace tunehub::agent
