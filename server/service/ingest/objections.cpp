#include "server/service/ingest/objections.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>

#include "server/service/queue/planner.h"

namespace tunehub::service {
namespace {

struct Wording {
  const char* code;
  const char* says;
};

constexpr Wording kWithdrawn = {"withdrawn", " no longer count: "};
constexpr Wording kInDoubt = {"in_doubt", " still count, and are in doubt: "};

// "its 14.63 us of run 3 no longer count: error_above_limit: 0.9, the limit is 0.2"
core::RowIssue IssueOf(const core::Row& row, const store::Objection& objection,
                       const Wording& wording) {
  char stood[64];
  if (std::isfinite(objection.us) && objection.us > 0) {
    std::snprintf(stood, sizeof stood, "its %.10g us of run %lld", objection.us,
                  static_cast<long long>(objection.run));
  } else {
    std::snprintf(stood, sizeof stood, "its rows up to run %lld",
                  static_cast<long long>(objection.run));
  }
  return {row.source_line, "", wording.code, stood + std::string(wording.says) + row.reason};
}

void SortObjections(std::vector<core::RowIssue>& issues) {
  std::stable_sort(issues.begin(), issues.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
}

}  // namespace

void DescribeObjections(const store::BatchOutcome& outcome,
                        const std::vector<registry::StagedRow>& rows,
                        std::vector<FileReport>& reports) {
  for (const store::Objection& it : outcome.withdrawn) {
    const registry::StagedRow& staged = rows[it.row];
    reports[staged.file].withdrawn.push_back(IssueOf(staged.row, it, kWithdrawn));
  }
  for (const store::Objection& it : outcome.in_doubt) {
    const registry::StagedRow& staged = rows[it.row];
    reports[staged.file].in_doubt.push_back(IssueOf(staged.row, it, kInDoubt));
  }
  for (const std::size_t row : outcome.out_of_line) {
    const registry::StagedRow& staged = rows[row];
    FileReport& report = reports[staged.file];
    Uncount(staged.row, report);
    report.quarantined.push_back({staged.row.source_line, "", "implausible",
                                  "below a tenth of the best earlier time of its shape key"});
  }
  for (FileReport& report : reports) {
    SortObjections(report.quarantined);
    SortObjections(report.withdrawn);
    SortObjections(report.in_doubt);
  }
}

std::vector<store::JobContent> JobsToMeasureAgain(
    const Definitions& definitions, const std::vector<const registry::StagedRow*>& rows,
    const std::vector<store::JobContent>& open) {
  std::vector<store::JobContent> jobs;
  for (const auto& family : definitions.families.all()) {
    if (family->objective == core::kNoColumn) continue;
    const std::int16_t id = definitions.Id(*family);
    std::vector<core::FamilyShape> shapes;
    for (const registry::StagedRow* staged : rows) {
      if (staged->family == id) shapes.push_back(ShapeOfLine(*family, staged->row.line));
    }
    if (shapes.empty()) continue;
    auto more = JobsToMeasure(*family, id, {rows[0]->row.gfx, rows[0]->row.cu_num}, shapes, open);
    std::move(more.begin(), more.end(), std::back_inserter(jobs));
  }
  return jobs;
}

}  // namespace tunehub::service
