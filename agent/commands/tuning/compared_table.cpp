#include "agent/commands/tuning/compared_table.h"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "agent/tuning/shapes.h"
#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/table/csv.h"

namespace tunehub::agent::tuning {
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

  // Adds the row to the side.
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

}  // namespace

core::Result<std::optional<double>> RunOf(std::string_view us, std::string_view status) {
  const auto number = core::ParseNumber(us);
  if (number ? std::isnan(*number) : !core::IsMissing(us)) {
    return core::Error{"bad_time",
                       fmt::format("us is '{}', no number of microseconds", core::Excerpt(us))};
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
  if (!more.ok()) return core::Error{more.error().code, file + ": " + more.error().detail};
  if (!*more) return core::Error{"empty_table", file + ": not even a header"};
  const Rows rows(family, file, record);
  if (!rows.Has("us")) return core::Error{"no_times", file + ": has no column 'us'"};
  analysis::Side side;
  side.environment = analysis::EnvironmentOf(csv);
  side.environment["file"] = file;
  for (more = reader.Next(record); more.ok() && *more; more = reader.Next(record)) {
    if (const auto read = rows.Read(record, side); !read.ok()) return read.error();
  }
  if (!more.ok()) return core::Error{more.error().code, file + ": " + more.error().detail};
  return side;
}

}  // namespace tunehub::agent::tuning
