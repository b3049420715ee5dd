// What AITER's merge of several files of one family would do, without its side effects: AITER
// raises on any duplicate key, after rewriting the files; this reports each with its places, and
// resolves it by the winner rule.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/row.h"

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
  std::vector<RowIssue> rejected, quarantined;
  std::vector<RowIssue> warnings;  // columns that were left out, rows that were realigned
};

struct Merged {
  const Family* family = nullptr;
  std::vector<std::string_view> lines;  // canonical, keys unique, in key order
  std::shared_ptr<const void> storage;  // of the lines that are not in a source's text
  std::size_t rows_read = 0;
  std::size_t rows_written = 0;
  std::vector<Duplicate> duplicates;
  std::vector<FileIssues> issues;  // one per file, in order

  std::string Csv() const;
};

struct MergeOptions {
  std::size_t threads = 0;  // at most; 0: as many as the process has processors
  // Many more than threads, so that they end together; few enough to be merged fast.
  std::size_t chunk_bytes = std::size_t{128} << 10;
};

// The answer does not depend on the options. `family` must outlive it. Errors: those of
// ReadTunedTable, with the file's name in front.
Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, const MergeOptions& options = {});

}  // namespace tunehub::core
