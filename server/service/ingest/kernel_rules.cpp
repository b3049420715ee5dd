#include "server/service/ingest/kernel_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"

namespace tunehub::service {

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
  std::ranges::stable_sort(table.rejected, {}, &core::RowIssue::line);
  return kept;
}

}  // namespace tunehub::service
