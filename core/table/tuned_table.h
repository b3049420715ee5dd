// Reads a tuned table: any header a family ever had, typed, judged, every bad row reported by
// itself.
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

// What it views lives until the next row is read.
struct TypedRow {
  Cells cells;                         // canonical; of a shifted row those of the key only
  std::vector<std::int64_t> integers;  // by column: what an integer cell that is not empty says
  // The row's line, where the file has it in canonical form, or where it is shifted and kept
  // as it came; empty: JoinCells(cells) is.
  std::string_view line;
  std::size_t source_line = 0;
  std::size_t put_in = kNoColumn;  // the column that a shifted row lacked, where that is known
  bool inferred_gfx = false;
  double us = 0;     // microseconds; NaN: none
  double error = 0;  // share of wrong elements; NaN: none given
  Judgement judgement;
};

// What is to be said of a row with a field put in. Precondition: row.put_in is a column.
RowIssue PutIn(const Family& family, const TypedRow& row);

// Types and judges the rows of one table, one at a time, and keeps none.
class RowReader {
 public:
  // All must outlive it. `error_limit` of the run; absent: the family's. `upstream`: see Timing.
  RowReader(const Family& family, const Targets& targets, const TableHeader& header,
            std::optional<double> error_limit, bool upstream = true);

  // True: row() is what the record says. False: it cannot be typed, rejection() says why.
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
  void Time();  // by numbers_
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
  std::vector<double> numbers_;  // by column: what a number or an error says; NaN: nothing
  // Per column the last cell that was canonical as it stood: most cells of a table repeat the one
  // above them. Copies, as a record's fields die with it.
  std::vector<std::string> above_;
};

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
  // Columns that the family does not know, rows with a field put in (PutIn), rows that no lookup
  // finds (CheckReach), times that were copied (CopiedTimes).
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

// Rows that no lookup of AITER can ever find, or only by luck: worth a warning, never a rejection.
// Without a line. Codes: unknown_gfx, gfx_never_asked, fp8_of_other_arch, token_no_tier,
// m_off_grid, no_such_cu_num. `cells` in canonical text.
std::vector<RowIssue> CheckReach(const Family& family, const Targets& targets, const Cells& cells);

}  // namespace tunehub::core
