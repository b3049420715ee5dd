#include "core/table/untuned_table.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

enum class Field { kShape, kGfx, kCuNum, kCount, kOther };

struct UntunedHeader {
  std::vector<Field> fields;
  std::vector<std::string> names;
};

Field FieldOf(const Family& family, std::string_view name) {
  if (name == "count") return Field::kCount;
  if (name == "gfx") return Field::kGfx;
  if (name == "cu_num") return Field::kCuNum;
  const std::size_t column = family.Find(name);
  if (column != kNoColumn && column == family.gfx) return Field::kGfx;
  if (column != kNoColumn && column == family.cu_num) return Field::kCuNum;
  return Field::kShape;
}

// Returns the shape column of this name, in any case; kNoColumn: none.
std::size_t FindShape(const Family& family, std::string_view name) {
  const std::vector<std::size_t> shapes = ShapeColumns(family);
  if (std::ranges::find(shapes, family.Find(name)) != shapes.end()) return family.Find(name);
  const auto found = std::ranges::find_if(shapes, [&](std::size_t i) {
    const Column& column = family.columns[i];
    return IsSameButForCase(column.name, name) ||
           std::ranges::any_of(column.aliases, [&](const std::string& alias) {
             return IsSameButForCase(alias, name);
           });
  });
  return found == shapes.end() ? kNoColumn : *found;
}

// Marks fields that are not part of the shape. Gives each other field its column's own name.
void PassOver(const Family& family, UntunedHeader& header) {
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (header.fields[i] != Field::kShape) continue;
    const std::size_t column = FindShape(family, header.names[i]);
    if (column == kNoColumn) header.fields[i] = Field::kOther;
    if (column != kNoColumn) header.names[i] = family.columns[column].name;
  }
}

Result<UntunedHeader> ReadHeader(const Family& family, const CsvRecord& record,
                                 OtherColumns others) {
  UntunedHeader header;
  for (std::string_view name : record.fields) {
    const bool twice =
        std::find(header.names.begin(), header.names.end(), name) != header.names.end();
    if (twice) return DuplicateColumn(record.line, Excerpt(name));
    header.fields.push_back(FieldOf(family, name));
    header.names.emplace_back(name);
  }
  if (others == OtherColumns::kPassOver) PassOver(family, header);
  std::vector<NamedCell> named;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (header.fields[i] == Field::kShape) named.push_back({header.names[i], ""});
  }
  if (const auto issue = CheckShapeColumns(family, named, record.line)) {
    return AtLine(issue->code, issue->line, issue->detail, issue->column);
  }
  return header;
}

class UntunedRowReader {
 public:
  UntunedRowReader(const Family& family, const Target& target, UntunedHeader header,
                   UntunedTable& table)
      : family_(family), target_(target), header_(std::move(header)), table_(table) {}

  void Read(const CsvRecord& record) {
    if (record.fields.size() != header_.fields.size()) {
      return Reject({record.line, "", "ragged_row",
                     fmt::format("has {} fields, but the header has {}", record.fields.size(),
                                 header_.fields.size())});
    }
    named_.clear();
    std::string_view gfx = target_.gfx, cu_num, count;
    const std::string given_cus = target_.cu_num > 0 ? std::to_string(target_.cu_num) : "";
    cu_num = given_cus;
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const std::string_view text = record.fields[i];
      switch (header_.fields[i]) {
        case Field::kShape:
          named_.push_back({header_.names[i], text});
          break;
        case Field::kGfx:
          if (!IsMissing(text)) gfx = text;
          break;
        case Field::kCuNum:
          if (!IsMissing(text)) cu_num = text;
          break;
        case Field::kCount:
          count = text;
          break;
        case Field::kOther:
          break;
      }
    }
    UntunedRow row;
    const auto target = ParseDemandTarget(gfx, cu_num);
    if (!target.ok()) {
      const bool is_gfx = target.error().code == "bad_gfx";
      return Reject(
          {record.line, is_gfx ? "gfx" : "cu_num", target.error().code, target.error().detail});
    }
    row.target = *target;
    if (!IsMissing(count)) {
      const auto parsed = ParseCount(count);
      if (!parsed.ok()) {
        return Reject({record.line, "count", parsed.error().code, parsed.error().detail});
      }
      row.count = *parsed;
    }
    if (auto issue = MakeShape(family_, row.target.gfx, named_, record.line, row.shape)) {
      return Reject(std::move(*issue));
    }
    table_.rows.push_back(std::move(row));
  }

 private:
  void Reject(RowIssue issue) { table_.rejected.push_back(std::move(issue)); }

  const Family& family_;
  const Target& target_;
  const UntunedHeader header_;
  UntunedTable& table_;
  std::vector<NamedCell> named_;
};

}  // namespace

Result<std::int64_t> ParseCount(std::string_view text) {
  const auto count = ParseInt64(text);
  if (count && *count >= 1 && *count <= kMaxRowCount) return *count;
  return Error{"out_of_range",
               fmt::format("'{}': expected a count from 1 to {}", Excerpt(text), kMaxRowCount)};
}

Result<Target> ParseDemandTarget(std::string_view gfx, std::string_view cu_num) {
  Target target;
  if (!gfx.empty()) {
    const auto canonical = CanonicalGfx(gfx);
    if (!canonical) {
      return Error{"bad_gfx",
                   fmt::format("'{}': expected a target's name, such as gfx942", Excerpt(gfx))};
    }
    target.gfx = *canonical;
  }
  if (cu_num.empty()) return target;
  const auto cus = ParseInt(cu_num);
  if (!cus || *cus < 0 || *cus > kMaxCuNum) {
    return Error{"out_of_range",
                 fmt::format("'{}': expected a CU count from 0 to {}", Excerpt(cu_num), kMaxCuNum)};
  }
  target.cu_num = *cus;
  return target;
}

Result<UntunedTable> ReadUntunedTable(const Family& family, std::string_view csv,
                                      const Target& target, std::size_t max_rows,
                                      OtherColumns others) {
  if (Status status = CheckTableText(csv); !status.ok()) return NameColumn(status.error(), csv);
  CsvReader reader(csv);
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok()) return status.error();
  auto header = ReadHeader(family, record, others);
  if (!header.ok()) return header.error();
  UntunedTable table;
  UntunedRowReader rows(family, target, *std::move(header), table);
  for (std::size_t count = 0;; ++count) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return NameColumn(more.error(), csv);
    if (!*more) return table;
    if (count == max_rows) return TooManyRows(record.line, max_rows);
    rows.Read(record);
  }
}

std::string WriteUntunedTable(const Family& family, const Target& target,
                              std::span<const FamilyShape> shapes) {
  const std::string cus = target.cu_num > 0 ? std::to_string(target.cu_num) : "";
  std::string table = JoinCells({family.untuned_columns.begin(), family.untuned_columns.end()});
  table.push_back('\n');
  for (const FamilyShape& shape : shapes) {
    Cells cells;
    for (const std::string& name : family.untuned_columns) {
      const std::size_t column = family.Find(name);
      cells.push_back(column == family.gfx      ? std::string_view(target.gfx)
                      : column == family.cu_num ? std::string_view(cus)
                                                : std::string_view(shape.cells[column]));
    }
    table += JoinCells(cells);
    table.push_back('\n');
  }
  return table;
}

}  // namespace tunehub::core
