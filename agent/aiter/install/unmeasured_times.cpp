#include "agent/aiter/install/unmeasured_times.h"

#include <vector>

#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

constexpr const char* kNoTime = "inf";

// The row's line, with its time written as none where it has to be.
std::string Rewritten(const core::Family& family, const core::Row& row, std::size_t& changed) {
  if (row.standing != core::Standing::kUnmeasured) return row.line;
  std::string scratch;
  core::Cells cells = core::SplitLine(row.line, scratch);
  const auto time = core::ParseNumber(cells[family.objective]);
  if (!time || !(*time <= 0)) return row.line;
  ++changed;
  cells[family.objective] = kNoTime;
  return core::JoinCells(cells);
}

}  // namespace

std::size_t WriteUnmeasuredTimes(const Configuration& configuration,
                                 std::map<std::string, std::string>& tables) {
  std::size_t all = 0;
  for (const auto& family : configuration.families.all()) {
    const auto table = tables.find(family->file);
    if (table == tables.end() || family->objective == core::kNoColumn) continue;
    if (family->lookup.empty_matches) continue;
    const auto read =
        core::ReadTunedTable(*family, configuration.targets, table->second,
                             {.error_limit = {}, .identify = nullptr, .warnings = false});
    if (!read.ok() || !read->rejected.empty()) continue;
    std::size_t changed = 0;
    std::vector<std::string> lines;
    for (const core::Row& row : read->rows) lines.push_back(Rewritten(*family, row, changed));
    if (changed == 0) continue;
    table->second =
        core::WriteTable(*family, std::vector<std::string_view>(lines.begin(), lines.end()));
    all += changed;
  }
  return all;
}

}  // namespace tunehub::agent
