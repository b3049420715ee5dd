#include "core/table/shifted_row.h"

#include "core/row/cell.h"

namespace tunehub::core {
namespace {

class ShiftedRow {
 public:
  ShiftedRow(const Family& family, const TableHeader& header, const CsvRecord& record)
      : family_(family), header_(header), fields_(record.fields) {}

  // Whether AITER's lookup may read the field; those before the gap are what they are.
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
  // What stands behind the gap does not say: it is where AITER does not look for it.
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

}  // namespace

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

}  // namespace tunehub::core
