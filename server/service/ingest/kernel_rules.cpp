#include "server/service/ingest/kernel_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"

namespace tunehub::service {

void JudgeKernels(const core::Families& families, const core::Family& family,
                  Submission& submission) {
  core::KernelJudge judge(families, family);
  core::TunedTable& table = submission.table;
  std::string scratch;
  std::size_t kept = 0;
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
    if (kept != i) {
      table.rows[kept] = std::move(row);
      submission.evidence[kept] = std::move(submission.evidence[i]);
      submission.marks[kept] = submission.marks[i];
    }
    ++kept;
  }
  table.rows.resize(kept);
  submission.evidence.resize(kept);
  submission.marks.resize(kept);
  std::ranges::stable_sort(table.rejected, {}, &core::RowIssue::line);
}

}  // namespace tunehub::service
