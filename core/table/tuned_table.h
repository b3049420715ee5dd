// Reads tuned tables with any header that the family ever had. Parses and judges each row alone,
// and reports each bad row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/row/standing.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::core {

// The views are valid until the reader reads the next row.
struct TypedRow {
  Cells cells;                         // canonical; in a shifted row only the shape key
  std::vector<std::int64_t> integers;  // per column: the value of a non-empty integer cell
  // The file's own line if it is canonical or the row is shifted. If empty, use JoinCells(cells).
  std::string_view line;
  std::size_t source_line = 0;
  std::size_t put_in = kNoColumn;  // the column inserted into a shifted row; kNoColumn: none
  bool inferred_gfx = false;
  double us = 0;     // microseconds; NaN: none
  double error = 0;  // fraction of wrong elements; NaN: unknown
  Judgement judgement;
};

// The warning for a row with an inserted field. Precondition: row.put_in is a column.
RowIssue PutIn(const Family& family, const TypedRow& row);

// Parses and judges the rows of one table, one at a time. Keeps no row.
class RowReader {
 public:
  // The arguments must outlive the reader. `error_limit`: the run's limit; absent: the family's
  // limit. `upstream`: see Timing.
  RowReader(const Family& family, const Targets& targets, const TableHeader& header,
            std::optional<double> error_limit, bool upstream = true);

  // True: row() returns the parsed record. False: rejection() says why the record cannot be parsed.
  bool Read(const CsvRecord& record);
  TypedRow& row() { return row_; }
  RowIssue& rejection() { return rejection_; }

 private:
  void Place(const CsvRecord& record, std::size_t gap);
  bool Fits();
  bool ReadShifted(const CsvRecord& record);
  bool Canonicalise(const CsvRecord& record, bool key_only);
  bool IsAsAbove(std::size_t i) const;
  bool NeedsDefault(const Column& column, std::size_t i) const;
  std::string_view MissingValue(const Column& column) const;
  bool InferGfx(const CsvRecord& record);
  void Time();  // sets us and error from numbers_
  bool IsCanonical(const CsvRecord& record) const;
  bool Reject(const CsvRecord& record, std::string_view column, std::string code,
              std::string detail);

  const Family& family_;
  const Targets& targets_;
  const TableHeader& header_;
  const double error_limit_;
  const bool upstream_;
  TypedRow row_;
  RowIssue rejection_;
  Scratch scratch_;
  std::vector<double> numbers_;  // per column: a number's or an error's value; NaN: none
  // Per column, the last cell that was already canonical, because most cells repeat the cell above.
  // The texts are copies, because a record's fields live only as long as the record.
  std::vector<std::string> above_;
};

// Returns a warning `copied_time` for each measured row with the same time as rows of other tiers,
// except for the largest tier. Only checks families whose lookup uses tiers. The tuners of other
// families omit unmeasured shapes.
std::vector<RowIssue> CopiedTimes(const Family& family, const std::vector<Row>& rows);

inline constexpr std::size_t kMaxTableRows = 1'000'000;  // AITER's largest table has 10,000

struct ReadOptions {
  std::size_t max_rows = kMaxTableRows;  // more rows: too_many_rows
  std::optional<double> error_limit;     // the run's limit; absent: the family's limit
  bool upstream = true;                  // Timing::upstream
  // Computes a row's hashes; null: they stay zero. Because this is a pointer, a program that passes
  // null does not link SHA-256.
  void (*identify)(const Family&, const Cells&, Row&) = &Identify;
  bool warnings = true;  // collect warnings, including those of CheckReach
};

struct TunedTable {
  std::vector<Row> rows;           // in file order, including quarantined rows
  std::vector<RowIssue> rejected;  // rows that cannot be parsed
  // Unknown columns, inserted fields (PutIn), rows that no lookup finds (CheckReach), copied times
  // (CopiedTimes).
  std::vector<RowIssue> warnings;
};

// The limit of a field in the family's tables, in bytes.
std::size_t MaxFieldBytes(const Family& family);

// These errors refuse the whole file: those of CheckTableText, CsvReader and MapHeader, empty_table
// (the header is missing, too), too_many_rows. A header alone is a table without rows.
Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options = {});

// Builds a tuned table row by row, from any source of cells.
class TunedRows {
 public:
  // `family`, `targets` and `header` must outlive this object. The caller applies max_rows.
  TunedRows(const Family& family, const Targets& targets, const TableHeader& header,
            const ReadOptions& options);

  // Adds a row or its rejection. The record's text is empty if no line of text contains the cells.
  void Add(const CsvRecord& record);
  TunedTable Take();

 private:
  const Family& family_;
  const Targets& targets_;
  const ReadOptions options_;
  RowReader reader_;
  TunedTable table_;
};

// Returns warnings, without a line number, for a row that AITER's lookups never or rarely find.
// Codes: unknown_gfx, gfx_never_asked, fp8_of_other_arch, token_no_tier, m_off_grid,
// no_such_cu_num. `cells`: in canonical text.
std::vector<RowIssue> CheckReach(const Family& family, const Targets& targets, const Cells& cells);

}  // namespace tunehub::core
