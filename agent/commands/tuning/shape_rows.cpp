#include "agent/commands/tuning/shape_rows.h"

#include <fmt/core.h>

#include <filesystem>

#include "agent/commands/tuning/compared_table.h"
#include "agent/commands/tuning/kernel_trace.h"
#include "agent/commands/tuning/shape_columns.h"
#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuning {
namespace {

// Triton's benches write sizes as 16.000000.
core::Result<std::string> KeyCell(const ShapeColumns::Key& key, std::string_view text) {
  if (!key.is_size) {
    if (!text.empty() || key.name != "kernel") return std::string(text);
    return core::Error{"bad_cell", "column kernel is empty"};
  }
  const auto number = core::ParseInt64(text);
  if (number && *number >= 0) return std::to_string(*number);
  return core::Error{
      "bad_cell", fmt::format("column {}: '{}' is no whole number", key.name, core::Excerpt(text))};
}

core::Result<TracedKernel> TraceOf(const std::string& file, std::string_view trace,
                                   const std::string& kernel) {
  const auto path = std::filesystem::path(file).parent_path() / trace;
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return ReadTrace(path.string(), bytes->view(), kernel);
}

// Adds the row to the side; the error is without its place.
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
    const auto traced = TraceOf(file, fields[*columns.trace], cells.front());
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

core::Result<ShapeSide> ReadShapeRows(const core::Families& families, const std::string& file,
                                      std::string_view csv, const std::string& unit) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  const auto in_file = [&](const core::Error& error) {
    return core::Error{error.code, file + ": " + error.detail};
  };
  const auto in_line = [&](const core::Error& error) {
    return core::Error{error.code, fmt::format("{}:{}: {}", file, record.line, error.detail)};
  };
  if (const auto sound = core::CheckTableText(csv); !sound.ok()) return in_file(sound.error());
  if (const auto first = reader.First(record); !first.ok()) return in_file(first.error());
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
      return in_line(
          {"bad_cell", fmt::format("has {} fields, the header {}", record.fields.size(), fields)});
    }
    const auto row = ReadRow(file, *columns, record.fields, read.side);
    if (!row.ok()) return in_line(row.error());
  }
  if (!more.ok()) return in_file(more.error());
  return read;
}

}  // namespace tunehub::agent::tuning
