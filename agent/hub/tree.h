// What GET /tree/{reader} gives: the files of one reader, as its folder holds them.
//
//   tree.json    {"format": "tunehub-tree", "version": 1, "reader": "vllm", "family": "...",
//                 "variable": "VLLM_TUNED_CONFIG_FOLDER", "value": "", "packages": ["vllm/..."]}
//   SHA256SUMS   of the files
//   env.sh       sets the variable
//   vllm/...     the files
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

struct Tree {
  std::string reader, family;
  std::string variable;               // that names the folder; "": the reader has none
  std::string value;                  // what follows the folder in it: "/tunableop_results%d.csv"
  std::vector<std::string> packages;  // below site-packages, of which the reader has the first
  std::map<std::string, std::string> files;  // by the path below the folder
  std::string sha256;                        // of SHA256SUMS, which any compression leaves as it is
};

// Errors: those of SummedArchive, and bad_tree (no tree.json, or one of another format).
core::Result<Tree> ParseTree(std::string_view tar_gz);

}  // namespace tunehub::agent
