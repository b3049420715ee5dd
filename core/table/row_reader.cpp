#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/target.h"
#include "core/row/tunable_line.h"
#include "core/table/tuned_table.h"

namespace tunehub::core {
namespace {

class ShiftedRow {
 public:
  ShiftedRow(const Family& family, const TableHeader& header, const CsvRecord& record)
      : family_(family), header_(header), fields_(record.fields) {}

  // True if AITER's lookup may read the field. Fields before the gap are in their own columns.
  bool IsRead(std::size_t field) const {
    const std::size_t index = header_.column_of_field[field];
    if (index == kNoColumn) return false;
    const Column& column = family_.columns[index];
    if (column.role == Role::kDerived || column.role == Role::kError) return false;
    return column.read_where.column.empty() || Says(column.read_where, field);
  }

  bool MayLack(std::size_t field) const {
    const std::size_t column = header_.column_of_field[field];
    return column != kNoColumn && !family_.columns[column].missing.empty();
  }

  bool FitsWithout(std::size_t gap) const {
    Scratch scratch;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::size_t column = header_.column_of_field[i < gap ? i : i + 1];
      if (column == kNoColumn) continue;
      if (!CanonicalCell(family_.columns[column], fields_[i], scratch).ok()) return false;
    }
    return true;
  }

 private:
  // Ignores fields after the gap, because AITER does not find them in their columns.
  bool Says(const ReadWhere& where, std::size_t gap) const {
    const std::size_t column = family_.Find(where.column);
    for (std::size_t field = 0; field < gap; ++field) {
      if (header_.column_of_field[field] != column) continue;
      Scratch scratch;
      const auto cell = CanonicalCell(family_.columns[column], fields_[field], scratch);
      return !cell.ok() || *cell == where.value;
    }
    return true;
  }

  const Family& family_;
  const TableHeader& header_;
  const std::vector<std::string_view>& fields_;
};

// Returns the one field that a shifted row lacks; nullopt if no gap, or more than one, makes every
// cell fit its column. AITER reads by position: after the gap, each column contains its neighbour's
// value. The insertion must not change what AITER's lookup reads. So lookups must read no column
// after the gap, and the tag must be empty in both readings.
std::optional<std::size_t> FindGap(const Family& family, const TableHeader& header,
                                   const CsvRecord& record) {
  if (!IsMissing(record.fields.back())) return std::nullopt;
  const ShiftedRow row(family, header, record);
  std::optional<std::size_t> found;
  for (std::size_t end = record.fields.size(); end > 0 && !row.IsRead(end - 1); --end) {
    const std::size_t gap = end - 1;
    if (!row.MayLack(gap) || !row.FitsWithout(gap)) continue;
    if (found) return std::nullopt;
    found = gap;
  }
  return found;
}

}  // namespace

RowIssue PutIn(const Family& family, const TypedRow& row) {
  const std::string& column = family.columns[row.put_in].name;
  return {row.source_line, column, "realigned",
          fmt::format("by the types of the fields, the row lacks '{}'; the hub adds this field, "
                      "and AITER's lookup then reads the same values",
                      column)};
}

RowReader::RowReader(const Family& family, const Targets& targets, const TableHeader& header,
                     std::optional<double> error_limit, bool upstream)
    : family_(family),
      targets_(targets),
      header_(header),
      error_limit_(error_limit.value_or(family.error_limit)),
      upstream_(upstream) {
  row_.cells.resize(family.columns.size());
  row_.integers.resize(family.columns.size());
  numbers_.resize(family.columns.size());
  above_.resize(family.columns.size());
}

bool RowReader::Read(const CsvRecord& record) {
  const std::size_t wanted = header_.column_of_field.size();
  const std::size_t given = record.fields.size();
  const bool one_short = header_.ends_in_tag && given + 1 == wanted;
  if (given != wanted && !one_short) {
    return Reject(record, "", "ragged_row",
                  fmt::format("has {} fields, but the header has {}", given, wanted));
  }
  row_.source_line = record.line;
  row_.put_in = kNoColumn;
  Place(record, given);
  // A row without its tag ends in the value before the tag. A shifted row ends in the (empty) tag
  // itself, or has values that do not fit their columns.
  const bool shifted = one_short && (IsMissing(record.fields.back()) || !Fits());
  if (shifted) {
    const auto gap = FindGap(family_, header_, record);
    if (!gap) return ReadShifted(record);
    row_.put_in = header_.column_of_field[*gap];
    Place(record, *gap);
  }
  if (!Canonicalise(record, false)) return false;
  if (family_.tunable_lines) {
    if (auto issue = WhyNoLine(family_, row_.cells)) {
      return Reject(record, issue->column, std::move(issue->code), std::move(issue->detail));
    }
  }
  Time();
  row_.judgement =
      Judge(family_, targets_, row_.cells, {row_.us, row_.error, error_limit_, upstream_});
  row_.line = IsCanonical(record) ? record.text : std::string_view();
  return true;
}

// Fields from `gap` on move to the next column.
void RowReader::Place(const CsvRecord& record, std::size_t gap) {
  std::fill(row_.cells.begin(), row_.cells.end(), std::string_view());
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const std::size_t column = header_.column_of_field[i < gap ? i : i + 1];
    if (column != kNoColumn) row_.cells[column] = record.fields[i];
  }
}

bool RowReader::Fits() {
  Scratch scratch;
  for (std::size_t i = 0; i < row_.cells.size(); ++i) {
    if (header_.present[i] && !CanonicalCell(family_.columns[i], row_.cells[i], scratch).ok())
      return false;
  }
  return true;
}

// In a shifted row, only the shape key's cells are in their columns. The row keeps its text.
bool RowReader::ReadShifted(const CsvRecord& record) {
  if (record.text.find_first_of("\r\n") != std::string_view::npos) {
    return Reject(record, "", "bad_text", "a cell of a shifted row contains a line break");
  }
  if (!Canonicalise(record, true)) return false;
  const auto number = [&](std::size_t i, auto parse) {
    numbers_[i] = parse(row_.cells[i]).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  if (family_.objective != kNoColumn) number(family_.objective, ParseNumber);
  for (std::size_t i : family_.error_columns) number(i, ParseError);
  Time();
  row_.judgement = Judge(family_, targets_, row_.cells, {});
  row_.judgement.standing = Standing::kGarbled;
  row_.judgement.reason = "shifted_columns: one field is missing before the last column";
  row_.line = record.text;
  return true;
}

bool RowReader::Canonicalise(const CsvRecord& record, bool key_only) {
  scratch_.clear();
  row_.inferred_gfx = false;
  if (!InferGfx(record)) return false;
  for (std::size_t i = 0; i < row_.cells.size(); ++i) {
    const Column& column = family_.columns[i];
    if ((key_only && !column.is_key()) || IsAsAbove(i)) continue;
    if (NeedsDefault(column, i)) row_.cells[i] = MissingValue(column);
    const auto cell = TypeCell(column, row_.cells[i], scratch_);
    if (!cell.ok()) return Reject(record, column.name, cell.error().code, cell.error().detail);
    row_.integers[i] = cell->integer;
    numbers_[i] = cell->number;
    // Skip the cache for times and errors, because they hardly ever repeat. A rewritten cell clears
    // the cache, because the stored number no longer belongs to the cached text.
    const bool measured = column.type == Type::kNumber || column.type == Type::kError;
    const bool as_it_stood = cell->text.data() == row_.cells[i].data();
    above_[i] = !measured && as_it_stood ? cell->text : std::string_view();
    row_.cells[i] = cell->text;
  }
  return true;
}

bool RowReader::IsAsAbove(std::size_t i) const {
  return !row_.cells[i].empty() && row_.cells[i] == above_[i];
}

// AITER fills a missing column with 0, but an enum has no value 0.
bool RowReader::NeedsDefault(const Column& column, std::size_t i) const {
  if (column.missing.empty()) return false;
  if (!header_.present[i] || i == row_.put_in) return true;
  return column.type == Type::kEnum && (IsMissing(row_.cells[i]) || row_.cells[i] == "0");
}

std::string_view RowReader::MissingValue(const Column& column) const {
  for (const MissingRule& rule : column.missing) {
    if (!rule.gfx.empty() && GfxOf(family_, row_.cells) != rule.gfx) continue;
    const bool kernel =
        rule.kernel_prefix.empty() ||
        std::any_of(family_.kernel_columns.begin(), family_.kernel_columns.end(),
                    [&](std::size_t k) { return row_.cells[k].starts_with(rule.kernel_prefix); });
    if (kernel) return rule.value;
  }
  return {};
}

bool RowReader::InferGfx(const CsvRecord& record) {
  if (family_.gfx == kNoColumn || IsAsAbove(family_.gfx)) return true;
  std::string_view& gfx = row_.cells[family_.gfx];
  if (header_.present[family_.gfx] && !IsMissing(gfx) && gfx != "0") {
    if (auto canonical = CanonicalGfx(gfx)) gfx = *canonical;  // MissingRule::gfx compares it
    return true;
  }
  if (family_.cu_num == kNoColumn) return true;  // TypeCell then refuses the empty cell
  const std::string_view text = row_.cells[family_.cu_num];
  const auto cu_num = ParseInt(text);
  const auto inferred = cu_num ? targets_.LegacyGfx(*cu_num) : std::nullopt;
  if (!inferred) {
    return Reject(
        record, family_.columns[family_.gfx].name, "unknown_gfx",
        fmt::format("the row has no gfx, and the gfx does not follow from its cu_num '{}'",
                    Excerpt(text, 20)));
  }
  gfx = *inferred;
  row_.inferred_gfx = true;
  return true;
}

void RowReader::Time() {
  row_.us = family_.objective == kNoColumn ? std::numeric_limits<double>::quiet_NaN()
                                           : numbers_[family_.objective];
  row_.error = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i : family_.error_columns) {
    if (!std::isnan(numbers_[i]) && !(row_.error >= numbers_[i])) row_.error = numbers_[i];
  }
}

// True if the record's text is already the canonical line, as in most rows.
bool RowReader::IsCanonical(const CsvRecord& record) const {
  const Cells& cells = row_.cells;
  if (record.fields.size() != cells.size()) return false;
  std::size_t size = cells.size() - 1;  // begins with the number of commas
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].data() != record.fields[i].data()) return false;
    size += cells[i].size();
  }
  // Nothing was trimmed, cut or quoted, and no cell lacks quotes that it needs.
  return size == record.text.size() && record.text.find('"') == std::string_view::npos;
}

bool RowReader::Reject(const CsvRecord& record, std::string_view column, std::string code,
                       std::string detail) {
  rejection_ = {record.line, std::string(column), std::move(code), std::move(detail)};
  return false;
}

}  // namespace tunehub::core
