// Converts a tree of files that a reader reads into one CSV per family, with findings. Does no I/O.
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
  std::string path;  // the name in findings
  // The path below the config folder; if that folder is unknown, the whole known path.
  std::string name;
  std::string bytes;
};

struct Finding {
  std::string file;
  std::string member;  // "": the whole file
  std::string code;
  std::string detail;
  bool aside = false;  // skipped: no row contains it
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
  // by folder: number of files that the reader does not read
  std::map<std::string, std::size_t> unread;
  std::map<std::string, std::size_t> layouts;  // by layout: number of imported files
};

// kPart: the rest of the tree may contain the default files.
enum class TreeExtent { kWhole, kPart };

// `device`: the device of TunableOp's files; "": unknown.
TreeReading ReadTree(const Reader& reader, const Targets& targets,
                     const std::vector<TreeEntry>& entries, std::string_view device = "",
                     TreeExtent extent = TreeExtent::kWhole);

// Reads every file with TunableOp's validator PT_VERSION or with TunableOp's usual name. Equal rows
// of several files count once. Another solution for the same shape becomes another candidate.
// `device`: the files' GPU. If it is "", the path of a served file names the device, or else the
// validators contain the gfx. Otherwise the device is unknown.
TreeReading ReadTunableTree(const ReaderStore& store, const Targets& targets,
                            const std::vector<TreeEntry>& entries, std::string_view device);

}  // namespace tunehub::core
