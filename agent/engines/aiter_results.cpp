#include "agent/engines/aiter_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/table/csv.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

// The most remarks of one kind. More remarks would add no information.
constexpr std::size_t kMostRemarks = 20;
// Only tables of single stages have this column.
constexpr std::string_view kStage = "stage";

core::Error BadTable(const char* which, const core::Error& error) {
  return {"bad_aiter_table", fmt::format("AITER's {} table: {}", which, error.detail)};
}

void AppendKept(const core::CsvRecord& record, const std::vector<bool>& kept, std::string& out) {
  bool first = true;
  for (std::size_t i = 0; i < record.fields.size() && i < kept.size(); ++i) {
    if (!kept[i]) continue;
    if (!first) out.push_back(',');
    first = false;
    core::AppendCsvField(out, record.fields[i]);
  }
  out.push_back('\n');
}

// Drops columns that the family does not know, because profile files have more columns than tuned
// files. Returns "" if the rows are of single stages, or if the header has no column of times.
core::Result<std::string> KnownColumns(const core::Family& family, std::string_view csv,
                                       std::size_t& stage_rows) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  auto read = reader.Next(record);
  if (!read.ok()) return read.error();
  if (!*read) return std::string();
  std::vector<bool> kept;
  bool stages = false, times = false;
  for (const std::string_view name : record.fields) {
    const std::size_t column = family.Find(name);
    kept.push_back(column != core::kNoColumn);
    stages = stages || name == kStage;
    times = times || (column != core::kNoColumn && column == family.objective);
  }
  std::string out;
  std::size_t rows = 0;
  AppendKept(record, kept, out);
  for (;; ++rows) {
    read = reader.Next(record);
    if (!read.ok()) return read.error();
    if (!*read) break;
    AppendKept(record, kept, out);
  }
  if (!stages && times) return out;
  stage_rows += rows;
  return std::string();
}

bool HasTime(const core::Row& row) {
  return std::isfinite(row.us) && row.us > 0;
}

void RemarkOn(ScriptReport& report, const char* which, const core::TunedTable& table) {
  for (const core::RowIssue& issue : table.rejected) {
    if (report.remarks.size() >= kMostRemarks) return;
    report.remarks.push_back(
        fmt::format("{} table, line {}: {}: {}", which, issue.line, issue.column, issue.detail));
  }
}

core::Result<core::TunedTable> Read(const core::Family& family, const core::Targets& targets,
                                    double err_ratio, const char* which, std::string_view csv) {
  core::ReadOptions options;
  options.error_limit = err_ratio;
  options.warnings = false;
  auto table = core::ReadTunedTable(family, targets, csv, options);
  if (!table.ok()) return BadTable(which, table.error());
  return table;
}

std::vector<std::string> ShapeOf(const core::Family& family, const core::Row& row) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  std::vector<std::string> shape;
  for (const std::string& name : family.untuned_columns) {
    const std::size_t column = family.Find(name);
    const bool own = family.columns[column].role != core::Role::kTarget && column < cells.size();
    shape.emplace_back(own ? cells[column] : std::string_view());
  }
  return shape;
}

// The fastest row per shape key and candidate, in the order of the shape keys.
class Fastest {
 public:
  void Add(const core::Row& row) {
    const auto [place, added] = rows_.try_emplace({row.order, row.candidate}, &row);
    if (!added && row.us < place->second->us) place->second = &row;
  }
  std::size_t size() const { return rows_.size(); }
  std::size_t Rejected() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        rows_, [](const auto& entry) { return !core::Competes(entry.second->standing); }));
  }
  std::string Csv(const core::Family& family) const {
    if (rows_.empty()) return {};
    std::vector<std::string_view> lines;
    for (const auto& [identity, row] : rows_) lines.push_back(row->line);
    return core::WriteTable(family, lines);
  }

 private:
  std::map<std::pair<std::string, core::Hash128>, const core::Row*> rows_;
};

// Returns `shapes` with empty targets, since a table has its own targets.
std::set<std::vector<std::string>> WithoutTargets(
    const core::Family& family, const std::vector<std::vector<std::string>>& shapes) {
  std::set<std::vector<std::string>> cleared;
  for (std::vector<std::string> shape : shapes) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::size_t column = family.Find(family.untuned_columns[i]);
      if (family.columns[column].role == core::Role::kTarget) shape[i].clear();
    }
    cleared.insert(std::move(shape));
  }
  return cleared;
}

}  // namespace

const char* Name(ScriptOutcome outcome) {
  constexpr const char* kNames[] = {"complete",  "partial", "stopped",
                                    "timed_out", "crashed", "failed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

nlohmann::ordered_json ToJson(const ScriptReport& report) {
  std::vector<std::string> files;
  for (const std::filesystem::path& file : report.files) files.push_back(file.string());
  return {{"outcome", Name(report.outcome)},
          {"ended", report.ended},
          {"starts", report.starts},
          {"seconds", report.seconds},
          {"shapes", report.shapes},
          {"tuned", report.tuned},
          {"missing", report.missing},
          {"candidates", report.candidates},
          {"rejected", report.rejected},
          {"failed", report.failed},
          {"evidence", report.stage_rows},
          {"remarks", report.remarks},
          {"files", files}};
}

core::Status ReadAiterTables(const core::Family& family, const core::Targets& targets,
                             double err_ratio, const std::vector<std::vector<std::string>>& shapes,
                             std::string_view tuned, std::string_view profile, AiterRun& run) {
  auto complete = KnownColumns(family, profile, run.report.stage_rows);
  if (!complete.ok()) return BadTable("profile", complete.error());
  core::TunedTable winners, timed;
  if (!tuned.empty()) {
    auto table = Read(family, targets, err_ratio, "tuned", tuned);
    if (!table.ok()) return table.error();
    winners = *std::move(table);
  }
  if (!complete->empty()) {
    auto table = Read(family, targets, err_ratio, "profile", *complete);
    if (!table.ok()) return table.error();
    timed = *std::move(table);
  }
  RemarkOn(run.report, "tuned", winners);
  RemarkOn(run.report, "profile", timed);
  std::set<std::vector<std::string>> missing = WithoutTargets(family, shapes);
  run.report.shapes = missing.size();
  Fastest best, all;
  for (const core::Row& row : winners.rows) {
    if (!HasTime(row)) continue;
    all.Add(row);
    if (!core::Competes(row.standing)) continue;
    best.Add(row);
    missing.erase(ShapeOf(family, row));
  }
  for (const core::Row& row : timed.rows) {
    if (HasTime(row)) {
      all.Add(row);
    } else {
      ++run.report.failed;
    }
  }
  run.tuned_csv = best.Csv(family);
  run.candidates_csv = all.Csv(family);
  run.report.tuned = run.report.shapes - missing.size();
  run.report.missing.assign(missing.begin(), missing.end());
  run.report.candidates = all.size();
  run.report.rejected = all.Rejected();
  return core::Ok();
}

}  // namespace tunehub::agent
