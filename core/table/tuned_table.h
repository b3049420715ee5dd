// Reads a tuned table: any header a family ever had, typed, judged, every bad row reported by
// itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/row.h"
#include "core/row/row_identity.h"
#include "core/row/row_issue.h"

namespace tunehub::core {

inline constexpr std::size_t kMaxTableRows = 1'000'000;  // AITER's largest table has 10,000

struct ReadOptions {
  std::size_t max_rows = kMaxTableRows;  // more: too_many_rows
  std::optional<double> error_limit;     // of the run; absent: the family's
  bool upstream = true;                  // Timing::upstream
  // Computes a row's hashes; null: they stay zero. A pointer, because a program that passes null
  // then links no SHA-256.
  void (*identify)(const Family&, const Cells&, Row&) = &Identify;
  bool warnings = true;  // say them, and check what no lookup can reach
};

struct TunedTable {
  std::vector<Row> rows;           // in the file's order; quarantined ones among them
  std::vector<RowIssue> rejected;  // rows that could not be typed
  // Columns that the family does not know, rows with a field put in (core/table/shifted_row.h),
  // rows that no lookup finds (core/table/reach.h), times that were copied
  // (core/table/copied_times.h).
  std::vector<RowIssue> warnings;
};

// What a field of such a table may have.
std::size_t MaxFieldBytes(const Family& family);

// Errors refuse the whole file: those of CheckTableText, CsvReader and MapHeader, empty_table (not
// even a header), too_many_rows. A header alone is a table without rows.
Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options = {});

}  // namespace tunehub::core
