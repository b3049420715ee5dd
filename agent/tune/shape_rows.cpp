#include "agent/tune/shape_rows.h"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "agent/search/tuned_file.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/row.h"

namespace tunehub::agent {
namespace {

class Rows {
 public:
  Rows(const core::Family& family, const std::string& file, const core::CsvRecord& header)
      : family_(family), file_(file) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      fields_.emplace(std::string(header.fields[i]), i);
    }
  }

  bool Has(const std::string& column) const { return fields_.contains(column); }

  core::Status Read(const core::CsvRecord& record, analysis::Side& side) const {
    const auto cell = [&](const std::string& column) -> std::optional<std::string> {
      const auto found = fields_.find(column);
      if (found == fields_.end() || found->second >= record.fields.size()) return std::nullopt;
      return std::string(record.fields[found->second]);
    };
    const auto shape = ShapeOf(family_, cell);
    if (!shape.ok()) return At(record, shape.error());
    analysis::NamedViews named;
    std::string kernel, candidate;
    std::vector<std::string> cells(family_.columns.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const core::Column& column = family_.columns[i];
      if (column.is_shape()) {
        named.emplace_back(column.name, shape->at(column.name));
      } else if (column.role == core::Role::kConfig) {
        cells[i] = cell(column.name).value_or("");
      }
    }
    for (std::size_t i : family_.kernel_columns) {
      if (!cells[i].empty()) kernel += (kernel.empty() ? "" : " + ") + cells[i];
    }
    if (!kernel.empty()) {
      core::AppendCandidateText(candidate, family_, core::Cells(cells.begin(), cells.end()));
    }
    const auto gfx = cell("gfx"), cu_num = cell("cu_num");
    const std::string target = gfx && cu_num ? *gfx + ":" + *cu_num : gfx.value_or("");
    const auto us = RunOf(cell("us").value_or(""), cell("status").value_or("ok"));
    if (!us.ok()) return At(record, us.error());
    auto& runs = side.At(target, named, candidate, kernel).runs;
    if (*us) runs.push_back(**us);
    return core::Ok();
  }

 private:
  core::Error At(const core::CsvRecord& record, const core::Error& error) const {
    return {error.code, fmt::format("{}:{}: {}", file_, record.line, error.detail)};
  }

  const core::Family& family_;
  const std::string& file_;
  std::map<std::string, std::size_t> fields_;
};

// Triton's benches write sizes as 16.000000.
core::Result<std::string> KeyCell(const ShapeColumns::Key& key, std::string_view text) {
  if (!key.is_size) {
    if (!text.empty() || key.name != "kernel") return std::string(text);
    return core::Error{"bad_cell", "column kernel is empty"};
  }
  const auto number = core::ParseInt64(text);
  if (number && *number >= 0) return std::to_string(*number);
  return core::Error{"bad_cell", fmt::format("column {}: '{}': expected a whole number", key.name,
                                             core::Excerpt(text))};
}

// Adds the row to the side. The caller adds file and line to an error.
core::Status ReadRow(const std::string& file, const ShapeColumns& columns,
                     const std::vector<std::string_view>& fields, analysis::Side& side) {
  std::vector<std::string> cells;
  for (const ShapeColumns::Key& key : columns.keys) {
    auto cell = KeyCell(key, fields[key.field]);
    if (!cell.ok()) return cell.error();
    cells.push_back(*std::move(cell));
  }
  analysis::NamedViews shape;
  for (std::size_t i = 0; i < cells.size(); ++i) shape.emplace_back(columns.keys[i].name, cells[i]);
  std::string target(columns.gfx ? fields[*columns.gfx] : "");
  if (columns.cu_num) target.append(":").append(fields[*columns.cu_num]);
  if (columns.trace) {
    const auto path = std::filesystem::path(file).parent_path() / fields[*columns.trace];
    const auto traced = ReadTrace(path, cells.front());
    if (!traced.ok()) return traced.error();
    side.At(target, shape, "", traced->names).runs.push_back(traced->us);
    return core::Ok();
  }
  const std::string_view status = columns.status ? fields[*columns.status] : "ok";
  for (const ShapeColumns::Time& time : columns.times) {
    const auto us = RunOf(fields[time.field], status);
    if (!us.ok()) return us.error();
    analysis::NamedViews key = shape;
    if (columns.times.size() > 1) key.emplace_back("line", time.line);
    auto& runs = side.At(target, key, "", "").runs;
    if (*us) runs.push_back(**us * time.us);
  }
  return core::Ok();
}

}  // namespace

core::Result<std::optional<double>> RunOf(std::string_view us, std::string_view status) {
  const auto number = core::ParseNumber(us);
  if (number ? std::isnan(*number) : !core::IsMissing(us)) {
    return core::Error{"bad_time", fmt::format("us is '{}'; expected a number of microseconds",
                                               core::Excerpt(us))};
  }
  const bool ok = status == "ok" || status == "OK" || status.empty();
  if (!ok || !number || *number <= 0 || !std::isfinite(*number)) return std::optional<double>();
  return number;
}

core::Result<analysis::Side> ReadSide(const core::Family& family, const std::string& file,
                                      std::string_view csv) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  auto more = reader.Next(record);
  if (!more.ok()) return more.error().In(file);
  if (!*more) return core::Error{"empty_table", file + ": the file is empty; expected a header"};
  const Rows rows(family, file, record);
  if (!rows.Has("us")) return core::Error{"no_times", file + ": has no column 'us'"};
  analysis::Side side;
  side.environment = analysis::EnvironmentOf(csv);
  side.environment["file"] = file;
  for (more = reader.Next(record); more.ok() && *more; more = reader.Next(record)) {
    if (const auto read = rows.Read(record, side); !read.ok()) return read.error();
  }
  if (!more.ok()) return more.error().In(file);
  return side;
}

core::Result<ShapeSide> ReadShapeRows(const core::Families& families, const std::string& file,
                                      std::string_view csv, const std::string& unit) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  const auto in_line = [&](const core::Error& error) {
    return core::Error{error.code, fmt::format("{}:{}: {}", file, record.line, error.detail)};
  };
  if (const auto sound = core::CheckTableText(csv); !sound.ok()) return sound.error().In(file);
  if (const auto first = reader.First(record); !first.ok()) return first.error().In(file);
  const std::size_t fields = record.fields.size();
  auto columns = ShapeColumnsOf(families, record, unit);
  if (!columns.ok()) return in_line(columns.error());
  ShapeSide read;
  read.unread = std::move(columns->unread);
  read.side.environment = analysis::EnvironmentOf(csv);
  read.side.environment["file"] = file;
  auto more = reader.Next(record);
  for (; more.ok() && *more; more = reader.Next(record)) {
    if (record.fields.size() != fields) {
      return in_line({"bad_cell", fmt::format("has {} fields, but the header has {}",
                                              record.fields.size(), fields)});
    }
    const auto row = ReadRow(file, *columns, record.fields, read.side);
    if (!row.ok()) return in_line(row.error());
  }
  if (!more.ok()) return more.error().In(file);
  return read;
}

}  // namespace tunehub::agent
