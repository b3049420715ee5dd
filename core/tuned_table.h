// Reads a tuned table: any header a family ever had, typed, judged, every bad row reported by
// itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/family.h"
#include "core/result.h"
#include "core/row.h"
#include "core/targets.h"

namespace tunehub::core {

// One remark about one row. `column` is empty where the whole row is meant.
struct RowIssue {
  std::size_t line = 0;  // of the file, from 1
  std::string column;
  std::string code;
  std::string detail;
};

struct ReadOptions {
  std::size_t max_rows = 1'000'000;   // more: too_many_rows
  std::optional<double> error_limit;  // of the run; absent: the family's
  bool identities = true;             // compute key and candidate hashes
  bool warnings = true;               // check what no lookup can reach
};

struct TunedTable {
  std::vector<Row> rows;           // in the file's order; quarantined ones among them
  std::vector<RowIssue> rejected;  // rows that could not be typed
  std::vector<RowIssue> warnings;  // rows that no lookup finds (core/reach.h)
};

// Errors refuse the whole file: those of CheckTableText, CsvReader and MapHeader, empty_table (not
// even a header), too_many_rows. A header alone is a table without rows.
Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options = {});

}  // namespace tunehub::core
