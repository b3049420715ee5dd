// A tree of a reader's files as tables: one CSV per family, and what was found beside it. No I/O.
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
  // Below the config folder, or, where nobody knows which folder that is, all that is known.
  std::string name;
  std::string bytes;
};

struct Finding {
  std::string file;
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;  // no row has it
};

struct TreeTable {
  const Family* family = nullptr;
  std::string csv;
  std::size_t files = 0, rows = 0;
};

struct TreeReading {
  std::vector<TreeTable> tables;  // of families with a row
  std::vector<Finding> findings;  // by file
  std::size_t files = 0;          // of the reader's
  std::size_t files_aside = 0, members_aside = 0;
  std::map<std::string, std::size_t> unread;  // by folder: JSON files that are none of the reader's
  std::map<std::string, std::size_t> layouts;  // files that were taken, of stores with several
};

// Of a part of a tree the defaults may lie in the rest.
enum class TreeExtent { kWhole, kPart };

// `device`: whose files these are, where neither their names nor their text say it (TunableOp's).
TreeReading ReadTree(const Reader& reader, const Targets& targets,
                     const std::vector<TreeEntry>& entries, std::string_view device = "",
                     TreeExtent extent = TreeExtent::kWhole);

// Every entry that is a file of TunableOp's: one with the validator PT_VERSION, or with its usual
// name. `device`: the name of the GPU that they are of; "": as a served file's path says, else the
// gfx among their validators, else none. A row that several files have alike is taken once, and one
// with another solution in each of them is that many candidates.
TreeReading ReadTunableTree(const ReaderStore& store, const Targets& targets,
                            const std::vector<TreeEntry>& entries, std::string_view device);

}  // namespace tunehub::core
