#include "server/ingest/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/excerpt.h"
#include "core/row/key.h"
#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"
#include "server/queue/planner.h"

namespace tunehub::server {

std::vector<std::size_t> JudgeKernels(const core::Families& families, const core::Family& family,
                                      core::TunedTable& table) {
  core::KernelJudge judge(families, family);
  std::string scratch;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    core::Row& row = table.rows[i];
    if (row.standing != core::Standing::kGarbled) {
      const core::KernelVerdict verdict = judge.Of(core::SplitLine(row.line, scratch));
      if (verdict.of == core::KernelOf::kOthers) {
        table.rejected.push_back({row.source_line, family.columns[verdict.column].name,
                                  std::string(verdict.code()), verdict.detail});
        continue;
      }
      core::Demote(verdict, row);
    }
    if (kept.size() != i) table.rows[kept.size()] = std::move(row);
    kept.push_back(i);
  }
  table.rows.resize(kept.size());
  SortByLine(table.rejected);
  return kept;
}

core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows) {
  if (!writer.limits) return core::Ok();
  std::set<std::tuple<std::int16_t, std::string, int>> seen;
  for (const StagedRow& staged : rows) {
    if (staged.row.standing == core::Standing::kGarbled) continue;
    seen.emplace(staged.family, staged.row.gfx, staged.row.cu_num);
  }
  for (const auto& family : definitions.families.all()) {
    for (const auto& [id, gfx, cu_num] : seen) {
      if (id != definitions.Id(*family)) continue;
      if (auto within = CheckFamily(writer, family->name); !within.ok()) return within;
      if (auto within = CheckTarget(writer, gfx, cu_num); !within.ok()) return within;
    }
  }
  return core::Ok();
}

namespace {

// "M=16, N=1536, K=7168": the key columns that the row fills, but for those of its target. The
// whole line where an older family file had other columns.
std::string ShapeText(const core::Family* family, const std::string& line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  if (family == nullptr || cells.size() != family->columns.size()) return line;
  for (const std::size_t column : family->key_columns) {
    const core::Role role = family->columns[column].role;
    if (role == core::Role::kTarget || cells[column].empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", family->columns[column].name,
                        cells[column]);
  }
  return text;
}

std::string KeyText(const core::Families& families, const GoingKey& key) {
  return fmt::format("{} {}:{} {}", key.family, key.gfx, key.cu_num,
                     ShapeText(families.Find(key.family), key.line));
}

}  // namespace

WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const Shrinkage& shrinkage) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const GoingKey& key : shrinkage.keys) keys.push_back(KeyText(families, key));
  WriteAnswer answer = Refuse(
      {"would_shrink",
       fmt::format("source '{}' has {} keys, and {} of them would go, more than a tenth; nothing "
                   "was stored; where that is meant, an admin's key says allow_shrink=1 "
                   "(tunehub-agent import --allow-shrink)",
                   core::Excerpt(source), shrinkage.held, shrinkage.going)});
  answer.refusal->members = fmt::format(R"("held":{},"going":{},"keys":{})", shrinkage.held,
                                        shrinkage.going, keys.dump());
  return answer;
}

namespace {

// "its 14.63 us of run 3 no longer count: error_above_limit: 0.9, the limit is 0.2"
core::RowIssue IssueOf(const core::Row& row, const Objection& objection, const char* code,
                       std::string_view says) {
  const std::string stood =
      std::isfinite(objection.us) && objection.us > 0
          ? fmt::format("its {:.10g} us of run {}", objection.us, objection.run)
          : fmt::format("its rows up to run {}", objection.run);
  return {row.source_line, "", code, fmt::format("{} {}: {}", stood, says, row.reason)};
}

}  // namespace

void DescribeObjections(const BatchOutcome& outcome, const std::vector<StagedRow>& rows,
                        std::vector<FileReport>& reports) {
  for (const Objection& it : outcome.withdrawn) {
    const StagedRow& staged = rows[it.row];
    reports[staged.file].withdrawn.push_back(
        IssueOf(staged.row, it, "withdrawn", "no longer count"));
  }
  for (const Objection& it : outcome.in_doubt) {
    const StagedRow& staged = rows[it.row];
    reports[staged.file].in_doubt.push_back(
        IssueOf(staged.row, it, "in_doubt", "still count, and are in doubt"));
  }
  for (const std::size_t row : outcome.out_of_line) {
    const StagedRow& staged = rows[row];
    FileReport& report = reports[staged.file];
    Uncount(staged.row, report);
    report.quarantined.push_back({staged.row.source_line, "", "implausible",
                                  "below a tenth of the best earlier time of its shape key"});
  }
  for (FileReport& report : reports) {
    SortByLine(report.quarantined);
    SortByLine(report.withdrawn);
    SortByLine(report.in_doubt);
  }
}

std::vector<JobContent> JobsToMeasureAgain(const Definitions& definitions,
                                           const std::vector<const StagedRow*>& rows,
                                           const std::vector<JobContent>& open) {
  std::vector<JobContent> jobs;
  for (const auto& family : definitions.families.all()) {
    if (family->objective == core::kNoColumn) continue;
    const std::int16_t id = definitions.Id(*family);
    std::vector<core::FamilyShape> shapes;
    for (const StagedRow* staged : rows) {
      if (staged->family == id) shapes.push_back(ShapeOfLine(*family, staged->row.line));
    }
    if (shapes.empty()) continue;
    auto more = JobsToMeasure(*family, id, {rows[0]->row.gfx, rows[0]->row.cu_num}, shapes, open);
    std::move(more.begin(), more.end(), std::back_inserter(jobs));
  }
  return jobs;
}

namespace {

// The rows of one family by what a compiled table knows of them.
class Shapes {
 public:
  explicit Shapes(const core::Family& family) : family_(family) {}

  void Add(const std::string& line) {
    auto [shape, value] = Split(line);
    values_[std::move(shape)].insert(std::move(value));
  }

  // Why the row is not alone; "" where it is.
  std::string Twins(const std::string& line) const {
    const auto found = values_.find(Split(line).first);
    if (found == values_.end() || found->second.size() < 2) return "";
    std::string values, last;
    for (const auto& [order, text] : found->second) {
      values += (values.empty() ? "" : " and ") + text;
      last = text;
    }
    return fmt::format(
        "this shape has rows of {}, which a compiled table cannot tell apart: it keeps the last, "
        "{}",
        values, last);
  }

 private:
  // Ordered as the rows are served.
  using Value = std::pair<std::string, std::string>;

  std::pair<std::string, Value> Split(const std::string& line) const {
    std::string scratch;
    core::Cells cells = core::SplitLine(line, scratch);
    Value value;
    for (const std::size_t column : family_.lookup.compiled_without) {
      value.second += (value.second.empty() ? "" : " ") + std::string(cells[column]);
    }
    core::AppendOrderKey(value.first, family_, cells);
    for (const std::size_t column : family_.lookup.compiled_without) cells[column] = "";
    std::string shape;
    core::AppendOrderKey(shape, family_, cells);
    return {std::move(shape), std::move(value)};
  }

  const core::Family& family_;
  std::map<std::string, std::set<Value>> values_;
};

}  // namespace

std::vector<std::vector<core::RowIssue>> CompiledTwins(const Definitions& definitions,
                                                       const Snapshots& served,
                                                       const std::vector<StagedRow>& rows,
                                                       std::size_t files) {
  std::vector<std::vector<core::RowIssue>> warnings(files);
  for (const auto& family : definitions.families.all()) {
    const auto& without = family->lookup.compiled_without;
    const std::int16_t id = definitions.Id(*family);
    const auto counts = [&](const StagedRow& it) {
      return it.family == id && core::Competes(it.row.standing);
    };
    if (without.empty() || std::none_of(rows.begin(), rows.end(), counts)) continue;
    Shapes shapes(*family);
    served.WaitUpToDate();
    const auto snapshot = served.Current(*family);  // keeps its rows while they are read
    for (const auto& row : snapshot->rows) shapes.Add(row->line);
    for (const StagedRow& it : rows) {
      if (counts(it)) shapes.Add(it.row.line);
    }
    for (const StagedRow& it : rows) {
      if (!counts(it)) continue;
      std::string detail = shapes.Twins(it.row.line);
      if (detail.empty()) continue;
      warnings[it.file].push_back({it.row.source_line, family->columns[without.front()].name,
                                   "compiled_twin", std::move(detail)});
    }
  }
  return warnings;
}

}  // namespace tunehub::server
