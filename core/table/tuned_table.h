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
#include "core/table/csv.h"
#include "core/table/row_reader.h"
#include "core/table/table_writer.h"

namespace tunehub::core {

// A warning `copied_time` for each such row but the one of the largest tier and those whose time
// is not believed as it is. Only in families whose lookup goes by token tiers: elsewhere tuners
// leave out what they do not measure.
std::vector<RowIssue> CopiedTimes(const Family& family, const std::vector<Row>& rows);

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
  // Columns that the family does not know, rows with a field put in (core/table/row_reader.h),
  // rows that no lookup finds (core/table/reach.h), times that were copied
  // (core/table/tuned_table.h).
  std::vector<RowIssue> warnings;
};

// What a field of such a table may have.
std::size_t MaxFieldBytes(const Family& family);

// Errors refuse the whole file: those of CheckTableText, CsvReader and MapHeader, empty_table (not
// even a header), too_many_rows. A header alone is a table without rows.
Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options = {});

// Makes a tuned table of its rows, one at a time, wherever their cells come from.
class TunedRows {
 public:
  // `family`, `targets` and `header` must outlive it. max_rows is for who reads the records.
  TunedRows(const Family& family, const Targets& targets, const TableHeader& header,
            const ReadOptions& options);

  // A row, or a rejected one. The record's text is empty where the cells stood in no line.
  void Add(const CsvRecord& record);
  TunedTable Take();

 private:
  const Family& family_;
  const Targets& targets_;
  const ReadOptions options_;
  RowReader reader_;
  TunedTable table_;
};

}  // namespace tunehub::core
