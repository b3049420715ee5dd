#include "core/tuned_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cell.h"
#include "core/csv.h"
#include "core/key.h"
#include "core/reach.h"
#include "core/table_header.h"
#include "core/table_writer.h"

namespace tunehub::core {
namespace {

// Reads the rows of one file. Its members are what the rows share, and buffers they reuse.
class RowReader {
 public:
  RowReader(const Family& family, const Targets& targets, const ReadOptions& options,
            TableHeader header, TunedTable& table)
      : family_(family),
        targets_(targets),
        options_(options),
        header_(std::move(header)),
        table_(table),
        cells_(family.columns.size()) {}

  void Read(const CsvRecord& record) {
    const std::size_t wanted = header_.column_of_field.size();
    const std::size_t given = record.fields.size();
    const bool one_short = header_.ends_in_tag && given + 1 == wanted;
    if (given != wanted && !one_short) {
      return Reject(record, "", "ragged_row",
                    std::to_string(given) + " fields, the header has " + std::to_string(wanted));
    }
    std::fill(cells_.begin(), cells_.end(), std::string_view());
    for (std::size_t i = 0; i < given; ++i) {
      const std::size_t column = header_.column_of_field[i];
      if (column != kNoColumn) cells_[column] = record.fields[i];
    }
    // A row that lacks only its tag ends in the value before it; one whose columns are shifted ends
    // in the (empty) tag itself, or has values that do not fit their columns.
    const bool shifted = one_short && (IsMissing(record.fields.back()) || !Fits());
    if (shifted) return ReadShifted(record);
    if (!Canonicalise(record, [](const Column&) { return true; })) return;
    Finish(record, std::nullopt);
  }

 private:
  bool Fits() {
    Scratch scratch;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (header_.present[i] && !CanonicalCell(family_.columns[i], cells_[i], scratch).ok())
        return false;
    }
    return true;
  }

  // The key of a shifted row still stands in its columns; what follows does not. It is kept as
  // evidence, in the text it came as.
  void ReadShifted(const CsvRecord& record) {
    if (record.text.find_first_of("\r\n") != std::string_view::npos) {
      return Reject(record, "", "bad_text", "a cell of a shifted row holds a line break");
    }
    if (!Canonicalise(record, [](const Column& column) { return column.is_key(); })) return;
    Finish(record, Judgement{Standing::kQuarantined,
                             "shifted_columns: one field is missing before the last column"});
  }

  template <typename Wanted>
  bool Canonicalise(const CsvRecord& record, Wanted wanted) {
    scratch_.clear();
    inferred_ = false;
    if (!InferGfx(record)) return false;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Column& column = family_.columns[i];
      if (!wanted(column)) continue;
      if (NeedsDefault(column, i)) cells_[i] = MissingValue(column);
      auto cell = CanonicalCell(column, cells_[i], scratch_);
      if (!cell.ok()) {
        Reject(record, column.name, cell.error().code, cell.error().detail);
        return false;
      }
      cells_[i] = *cell;
    }
    return true;
  }

  // AITER fills a column that a file lacks with 0, which no enum has as a value.
  bool NeedsDefault(const Column& column, std::size_t i) const {
    if (column.missing.empty()) return false;
    if (!header_.present[i]) return true;
    return column.type == Type::kEnum && (IsMissing(cells_[i]) || cells_[i] == "0");
  }

  std::string_view MissingValue(const Column& column) const {
    for (const MissingRule& rule : column.missing) {
      if (!rule.gfx.empty() && cells_[family_.gfx] != rule.gfx) continue;
      const bool kernel =
          rule.kernel_prefix.empty() ||
          std::any_of(family_.kernel_columns.begin(), family_.kernel_columns.end(),
                      [&](std::size_t k) { return cells_[k].starts_with(rule.kernel_prefix); });
      if (kernel) return rule.value;
    }
    return {};
  }

  bool InferGfx(const CsvRecord& record) {
    std::string_view& gfx = cells_[family_.gfx];
    if (header_.present[family_.gfx] && !IsMissing(gfx) && gfx != "0") {
      if (auto canonical = CanonicalGfx(gfx)) gfx = *canonical;  // MissingRule::gfx compares it
      return true;
    }
    if (family_.cu_num == kNoColumn) return true;  // then the empty cell is the error
    const auto cu_num = ParseInt(cells_[family_.cu_num]);
    const auto inferred = cu_num ? targets_.LegacyGfx(*cu_num) : std::nullopt;
    if (!inferred) {
      Reject(record, family_.columns[family_.gfx].name, "unknown_gfx",
             "the row has no gfx and its cu_num '" +
                 std::string(Excerpt(cells_[family_.cu_num], 20)) + "' does not tell it");
      return false;
    }
    gfx = *inferred;
    inferred_ = true;
    return true;
  }

  void Finish(const CsvRecord& record, std::optional<Judgement> verdict) {
    Row row;
    row.source_line = record.line;
    row.gfx = cells_[family_.gfx];
    row.cu_num = family_.cu_num == kNoColumn ? 0 : ParseInt(cells_[family_.cu_num]).value_or(0);
    row.inferred_gfx = inferred_;
    row.own_kernel =
        std::any_of(family_.kernel_columns.begin(), family_.kernel_columns.end(),
                    [&](std::size_t i) { return cells_[i].starts_with(kOwnKernelPrefix); });
    const double nan = std::numeric_limits<double>::quiet_NaN();
    row.us =
        family_.objective == kNoColumn ? nan : ParseNumber(cells_[family_.objective]).value_or(nan);
    row.error = LargestError();
    if (!verdict) {
      verdict = Judge(family_, targets_, cells_,
                      {row.us, row.error, options_.error_limit.value_or(family_.error_limit)});
      row.line = IsCanonical(record) ? std::string(record.text) : JoinCells(cells_);
    } else {
      row.line = record.text;
    }
    row.standing = verdict->standing;
    row.reason = std::move(verdict->reason);
    AppendOrderKey(row.order, family_, cells_);
    if (options_.identities) Identify(row);
    if (options_.warnings) Warn(record);
    table_.rows.push_back(std::move(row));
  }

  void Identify(Row& row) {
    buffer_.clear();
    AppendKeyText(buffer_, family_, cells_);
    row.key = HashOf(buffer_);
    buffer_.clear();
    AppendCandidateText(buffer_, family_, cells_);
    row.candidate = HashOf(buffer_);
  }

  // Most rows are canonical as they came: then their text is their line.
  bool IsCanonical(const CsvRecord& record) const {
    if (record.fields.size() != cells_.size()) return false;
    std::size_t size = cells_.size() - 1;  // the commas
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].data() != record.fields[i].data()) return false;
      size += cells_[i].size();
    }
    // Nothing was trimmed, cut or quoted, and nothing needs quotes that came without.
    return size == record.text.size() && record.text.find('"') == std::string_view::npos;
  }

  double LargestError() const {
    double largest = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i : family_.error_columns) {
      const auto error = ParseError(cells_[i]);
      if (error && !(largest >= *error)) largest = *error;
    }
    return largest;
  }

  void Warn(const CsvRecord& record) {
    for (ReachWarning& warning : CheckReach(family_, targets_, cells_)) {
      table_.warnings.push_back({record.line, std::move(warning.column), std::move(warning.code),
                                 std::move(warning.detail)});
    }
  }

  void Reject(const CsvRecord& record, std::string_view column, std::string code,
              std::string detail) {
    table_.rejected.push_back(
        {record.line, std::string(column), std::move(code), std::move(detail)});
  }

  const Family& family_;
  const Targets& targets_;
  const ReadOptions& options_;
  const TableHeader header_;
  TunedTable& table_;
  Cells cells_;
  Scratch scratch_;
  std::string buffer_;
  bool inferred_ = false;
};

}  // namespace

Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options) {
  if (Status status = CheckTableText(csv); !status.ok()) return status.error();
  CsvReader reader(csv);
  CsvRecord record;
  Result<bool> more = reader.Next(record);
  if (!more.ok()) return more.error();
  if (!*more) return Error{"empty_table", "the table has not even a header"};
  auto header = MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();

  TunedTable table;
  RowReader rows(family, targets, options, *std::move(header), table);
  std::size_t count = 0;
  for (;;) {
    more = reader.Next(record);
    if (!more.ok()) return more.error();
    if (!*more) return table;
    if (++count > options.max_rows) {
      return Error{"too_many_rows", "line " + std::to_string(record.line) + ": more than " +
                                        std::to_string(options.max_rows) + " rows"};
    }
    rows.Read(record);
  }
}

}  // namespace tunehub::core
