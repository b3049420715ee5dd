#include "agent/search/tuned_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "agent/search/device_spread.h"
#include "agent/search/session.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/roofline.h"
#include "core/table/table_writer.h"
#include "core/table/untuned_table.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kMostReasonBytes = 1000;  // the hub's limit is 4000, after escaping
// AITER's tuners round like this.
constexpr double kUsDecimals = 1e4, kRateDecimals = 1e2;

std::string Number(double value, double decimals) {
  return nlohmann::json(std::round(value * decimals) / decimals).dump();
}

std::optional<std::string> Implied(const core::Column& column) {
  for (const core::MissingRule& rule : column.missing) {
    if (rule.gfx.empty() && rule.kernel_prefix.empty()) return rule.value;
  }
  return std::nullopt;
}

std::string ConfigCell(const core::Column& column, const Columns& candidate) {
  const auto found = candidate.find(column.name);
  if (found != candidate.end()) return found->second;
  if (const auto implied = Implied(column)) return *implied;
  if (column.type != core::Type::kInteger && column.type != core::Type::kFlag) return "";
  return column.identity != core::Identity::kAlways && column.min < 0 ? "-1" : "0";
}

// One cell per column of the family.
std::vector<std::string> CellsOf(const core::Family& family, const core::Target& target,
                                 const Columns& shape, const Measurement& measurement) {
  std::vector<std::string> cells(family.columns.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (i == family.gfx) {
      cells[i] = target.gfx;
    } else if (i == family.cu_num) {
      cells[i] = std::to_string(target.cu_num);
    } else if (column.is_shape()) {
      cells[i] = shape.at(column.name);
    } else if (column.role == core::Role::kConfig) {
      cells[i] = ConfigCell(column, measurement.candidate);
    } else if (column.role == core::Role::kError) {
      cells[i] = nlohmann::json(measurement.error).dump();
    }
  }
  if (!measurement.timed() || family.objective == core::kNoColumn) return cells;
  const double us = Median(measurement.samples);
  cells[family.objective] = Number(us, kUsDecimals);
  const auto work = core::ComputeWork(family, core::Cells(cells.begin(), cells.end()));
  const std::size_t tflops = family.Find("tflops"), bw = family.Find("bw");
  if (work && tflops != core::kNoColumn) {
    cells[tflops] = Number(core::Tflops(*work, us), kRateDecimals);
  }
  if (work && bw != core::kNoColumn) {
    cells[bw] = Number(core::GigabytesPerSecond(*work, us), kRateDecimals);
  }
  return cells;
}

nlohmann::ordered_json RowJson(const core::Family& family, const core::Target& target,
                               const Columns& shape, const Measurement& measurement) {
  const auto cells = CellsOf(family, target, shape, measurement);
  nlohmann::ordered_json row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].empty()) row[family.columns[i].name] = cells[i];
  }
  const bool failed = measurement.outcome == Outcome::kBroken;
  if (failed && family.objective != core::kNoColumn) {
    row[family.columns[family.objective].name] = "-1";  // AITER's tuners mark failures with -1
  }
  return row;
}

// The evidence of a measurement's times.
void AddSamples(const Measurement& measurement, double spread, nlohmann::ordered_json& row) {
  const auto rounded = [](double us) { return std::round(us * kUsDecimals) / kUsDecimals; };
  std::vector<double> samples = measurement.samples;
  for (double& us : samples) us = std::max(rounded(us), 1 / kUsDecimals);  // the hub refuses 0
  row["samples"] = samples;
  if (measurement.us_hot > 0) row["us_hot"] = rounded(measurement.us_hot);
  if (measurement.us_cold > 0) row["us_cold"] = rounded(measurement.us_cold);
  std::string ended = measurement.ended;
  if (const auto range = RangeOf(samples, spread)) {
    row["us_low"] = rounded(range->low);
    row["us_high"] = rounded(range->high);
    ended = fmt::format("{}; bounds: {}", ended.empty() ? "screening" : ended, range->bound);
  }
  if (measurement.us_reference > 0) row["us_reference"] = rounded(measurement.us_reference);
  for (const auto& [member, text] : {std::pair("ended", &std::as_const(ended)),
                                     {"clock", &measurement.clock},
                                     {"clocks", &measurement.clocks}}) {
    if (!text->empty()) row[member] = *text;
  }
}

// AITER's tree has some 40,000 rows.
constexpr std::size_t kMaxShapes = 1'000'000;

}  // namespace

core::Result<core::TunedTable> ReadWholeTable(const core::Family& family,
                                              const core::Targets& targets, std::string_view csv,
                                              const std::string& what) {
  auto table =
      core::ReadTunedTable(family, targets, csv, {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return table.error().In(what);
  return table;
}

core::Result<std::vector<TunedRow>> ReadTunedRows(const core::Family& family,
                                                  const core::Targets& targets,
                                                  std::string_view csv) {
  const auto table =
      core::ReadTunedTable(family, targets, csv, {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return table.error();
  std::vector<TunedRow> rows;
  for (const core::Row& row : table->rows) {
    if (row.standing != core::Standing::kMeasured) continue;
    rows.push_back({{row.gfx, row.cu_num},
                    ColumnsOf(family, core::Role::kShape, row.line),
                    ColumnsOf(family, core::Role::kConfig, row.line),
                    row.us,
                    row.line,
                    row.order});
  }
  return rows;
}

std::string LineOf(const core::Family& family, const core::Target& target, const Columns& shape,
                   const Measurement& measurement) {
  const auto cells = CellsOf(family, target, shape, measurement);
  return core::JoinCells(core::Cells(cells.begin(), cells.end()));
}

std::string ResultsBody(const core::Family& family, const core::Target& target,
                        const DoneShape& done, bool searched) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < done.measurements.size(); ++i) {
    const Measurement& measurement = done.measurements[i];
    auto row = RowJson(family, target, done.shape, measurement);
    AddSamples(measurement, done.spread, row);
    row["timing"] = target.gfx.starts_with(core::kCpuPrefix) ? "wall" : "graph";
    row["status"] = Name(measurement.outcome);
    if (!measurement.reason.empty())
      row["reason"] = core::Excerpt(measurement.reason, kMostReasonBytes);
    if (i == done.fallback) row["is_default"] = true;  // speed-ups compare with this row
    if (searched) row["searched"] = true;
    rows.push_back(std::move(row));
  }
  return nlohmann::ordered_json{{"rows", std::move(rows)}}.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

core::Result<TunedFile> TunedFile::Open(const core::Family& family, const core::Targets& targets,
                                        const std::filesystem::path& path) {
  TunedFile file(family, targets, path);
  const auto bytes = core::FileBytes::Read(path.string());
  if (!bytes.ok() && bytes.error().code != "file_not_found") return bytes.error();
  if (!bytes.ok() || bytes->view().empty()) return file;
  if (auto status = file.Read(bytes->view(), path.string()); !status.ok()) return status.error();
  return file;
}

core::Status TunedFile::Read(std::string_view csv, const std::string& what) {
  const auto table = ReadWholeTable(*family_, *targets_, csv, what);
  if (!table.ok()) return table.error();
  if (!table->rejected.empty()) {
    const core::RowIssue& issue = table->rejected.front();
    return core::Error{
        "lossy_table",
        fmt::format("{}:{}: {}: {}. This row would be lost, so the table stays unchanged", what,
                    issue.line, issue.column, issue.detail)};
  }
  for (const core::Row& row : table->rows) lines_[row.order] = row.line;
  return core::Ok();
}

core::Status TunedFile::Put(const core::Target& target, const Columns& shape,
                            const Measurement& measurement) {
  return PutTable(
      fmt::format("{}\n{}\n", family_->Header(true), LineOf(*family_, target, shape, measurement)));
}

core::Status TunedFile::PutTable(std::string_view csv) {
  if (auto status = Read(csv, "the tuned rows"); !status.ok()) return status;
  return Save();
}

core::Status TunedFile::Save() const {
  std::vector<std::string_view> lines;
  for (const auto& [order, it] : lines_) lines.push_back(it);
  return core::WriteAtomically(path_, core::WriteTable(*family_, lines));
}

core::Status TunedFile::Fill(const std::vector<TunedRow>& rows) {
  std::set<std::string> measured;
  for (const TunedRow& row : Measured()) measured.insert(row.order);
  bool filled = false;
  for (const TunedRow& row : rows) {
    if (measured.contains(row.order)) continue;
    lines_[row.order] = row.line;
    filled = true;
  }
  return filled ? Save() : core::Ok();
}

std::vector<TunedRow> TunedFile::Measured() const {
  std::string csv = family_->Header(true) + "\n";
  for (const auto& [order, line] : lines_) csv += line + "\n";
  auto rows = ReadTunedRows(*family_, *targets_, csv);
  return rows.ok() ? *std::move(rows) : std::vector<TunedRow>();
}

std::vector<TunedRow> TunedFile::RowsOf(const core::Target& target) const {
  std::vector<TunedRow> own;
  for (TunedRow& row : Measured()) {
    if (row.target == target) own.push_back(std::move(row));
  }
  return own;
}

core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell) {
  Columns shape;
  core::Scratch scratch;
  for (const core::Column& column : family.columns) {
    if (!column.is_shape()) continue;
    auto text = cell(column.name);
    if (!text || core::IsMissing(*text)) text = Implied(column);
    if (!text) {
      return core::Error{"missing_column",
                         fmt::format("{} needs a value of column '{}'", family.name, column.name)};
    }
    const auto canonical = core::CanonicalCell(column, *text, scratch);
    if (!canonical.ok()) return canonical.error().In(column.name);
    shape[column.name] = std::string(*canonical);
  }
  return shape;
}

core::Result<std::vector<Columns>> ReadShapes(const core::Family& family, const std::string& file,
                                              std::string_view csv) {
  const auto table =
      core::ReadUntunedTable(family, csv, {}, kMaxShapes, core::OtherColumns::kPassOver);
  if (!table.ok()) return table.error().In(file);
  if (!table->rejected.empty()) {
    const core::RowIssue& issue = table->rejected.front();
    return core::Error{issue.code,
                       fmt::format("{}:{}: {}: {}", file, issue.line, issue.column, issue.detail)};
  }
  std::vector<Columns> shapes;
  for (const core::UntunedRow& row : table->rows) {
    Columns shape;
    for (const std::size_t i : core::ShapeColumns(family)) {
      if (!row.shape.cells[i].empty()) shape[family.columns[i].name] = row.shape.cells[i];
    }
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

Columns ColumnsOf(const core::Family& family, core::Role role, std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  Columns columns;
  for (std::size_t i = 0; i < cells.size() && i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != role || cells[i].empty()) continue;
    if (role == core::Role::kConfig && column.identity != core::Identity::kAlways) continue;
    columns[column.name] = std::string(cells[i]);
  }
  return columns;
}

}  // namespace tunehub::agent
