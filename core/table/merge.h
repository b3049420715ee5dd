// Merges several files of one family as AITER does, but changes no file. AITER rewrites the files,
// then raises an error on a duplicate shape key. This merge instead reports each duplicate with its
// places, and chooses one row by the winner rule.
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
  std::vector<Place> places;  // ordered by the winner rule, then by file
  bool identical = false;     // all rows are equal; AITER still raises an error
};

struct FileIssues {
  std::size_t file = 0;
  std::vector<RowIssue> rejected, quarantined;
  std::vector<RowIssue> warnings;  // ignored columns, realigned rows
};

struct Merged {
  const Family* family = nullptr;
  std::vector<std::string_view> lines;  // canonical, one per shape key, sorted by sort key
  std::shared_ptr<const void> storage;  // owns lines that no source's text contains
  std::size_t rows_read = 0;
  std::size_t rows_written = 0;
  std::vector<Duplicate> duplicates;
  std::vector<FileIssues> issues;  // one per file, in order

  std::string Csv() const;
};

struct MergeOptions {
  std::size_t threads = 0;  // the most threads; 0: by the files' size, at most one per processor
  // The size of one thread's piece of work. It is small enough for many chunks per thread, so that
  // all threads end at about the same time. It is large enough for a fast merge.
  std::size_t chunk_bytes = std::size_t{128} << 10;
};

// The result does not depend on `options`. `family` must outlive the result. Errors: those of
// ReadTunedTable, with the file's name before the message.
Result<Merged> MergeTables(const Family& family, const Targets& targets,
                           std::span<const SourceFile> sources, const MergeOptions& options = {});

}  // namespace tunehub::core
