#include "server/service/ingest/kernel_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/readers/tunable_path.h"
#include "core/readers/tunable_shape.h"
#include "core/readers/tunable_validators.h"
#include "core/row/known_kernel.h"
#include "core/table/table_writer.h"

namespace tunehub::service {

namespace {

// Why PyTorch's file could not have the row; "": it can.
std::string WhyNoTunableRow(const core::Family& family, const core::Cells& cells) {
  const auto cell = [&](std::string_view name) { return cells[family.Find(name)]; };
  std::string why = core::WhyNotAsked({std::string(cell("op")), std::string(cell("params"))});
  if (!why.empty() || cell("validators").empty()) return why;
  const auto validators = core::ParseValidators(cell("validators"));
  return validators.ok() ? "" : validators.error().detail;
}

}  // namespace

std::vector<std::size_t> JudgeNames(const core::Families& families, const core::Family& family,
                                    bool kernels, core::TunedTable& table) {
  const bool tunable = family.name == core::kTunableReader;
  core::KernelJudge judge(families, family);
  std::string scratch;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    core::Row& row = table.rows[i];
    if ((kernels || tunable) && row.standing != core::Standing::kGarbled) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      if (std::string why = tunable ? WhyNoTunableRow(family, cells) : ""; !why.empty()) {
        table.rejected.push_back({row.source_line, "", "not_asked", std::move(why)});
        continue;
      }
      const core::KernelVerdict verdict = kernels ? judge.Of(cells) : core::KernelVerdict();
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
