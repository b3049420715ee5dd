// What AITER's merge of several files of one family would do, without its side effects: AITER
// raises on any duplicate key, after rewriting the files; this reports each with its places, and
// resolves it by the winner rule.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family.h"
#include "core/result.h"
#include "core/targets.h"
#include "core/tuned_table.h"

namespace tunehub::core {

struct SourceFile {
  std::string name;
  std::string_view text;  // must outlive the merge
};

struct Place {
  std::size_t file = 0;  // index into the sources
  std::size_t line = 0;
  std::string text;  // the row
};

struct Duplicate {
  std::vector<Place> places;  // the winner first, then in the order of the files
  bool identical = false;     // every row says the same: still an error to AITER
};

struct FileIssues {
  std::size_t file = 0;
  std::vector<RowIssue> rejected, quarantined, warnings;
};

struct Merged {
  std::string csv;  // canonical, keys unique, in key order
  std::size_t rows_read = 0;
  std::size_t rows_written = 0;
  std::vector<Duplicate> duplicates;
  std::vector<FileIssues> issues;  // one per file, in order
};

// Errors: those of ReadTunedTable, with the file's name in front.
Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, bool warnings = true);

}  // namespace tunehub::core
