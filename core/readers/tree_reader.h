// Converts a tree of a reader's files into tables, one CSV for each family, and findings. No I/O.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/targets.h"
#include "core/readers/reader.h"

namespace tunehub::core {

struct TreeEntry {
  std::string path;  // as findings name it
  // Below the config folder; if that is unknown, the whole known path.
  std::string name;
  std::string bytes;
};

struct Finding {
  std::string file;
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;  // skipped: no row has it
};

struct TreeTable {
  const Family* family = nullptr;
  std::string csv;
  std::size_t files = 0, rows = 0;
};

struct TreeReading {
  std::vector<TreeTable> tables;  // one for each family with a row
  std::vector<Finding> findings;  // by file
  std::size_t files = 0;          // files of the reader
  std::size_t files_aside = 0, members_aside = 0;
  std::map<std::string, std::size_t> unread;   // by folder: files that are not the reader's
  std::map<std::string, std::size_t> layouts;  // by layout: imported files of stores with layouts
};

// kPart: default files may be in the rest of the tree.
enum class TreeExtent { kWhole, kPart };

// `device`: the device of TunableOp's files; "": unknown.
TreeReading ReadTree(const Reader& reader, const Targets& targets,
                     const std::vector<TreeEntry>& entries, std::string_view device = "",
                     TreeExtent extent = TreeExtent::kWhole);

// Reads every file with TunableOp's validator PT_VERSION or with TunableOp's usual name. `device`:
// the files' GPU; "": from a served file's path, else the gfx among the validators, else none.
// Equal rows of several files count once; each other solution for the same shape is one more
// candidate.
TreeReading ReadTunableTree(const ReaderStore& store, const Targets& targets,
                            const std::vector<TreeEntry>& entries, std::string_view device);

}  // namespace tunehub::core
