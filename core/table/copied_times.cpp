#include "core/table/copied_times.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTokenTiers = "token_tiers";
// Up to so many tokens a launch does the same work, and upstream's honest tables give 1 to 16 one
// time.
constexpr std::int64_t kOneLaunch = 16;
// Two neighbouring tiers may tie by chance in four decimals; three do not.
constexpr std::size_t kFewestTiers = 3;
// The largest tier has this many times the work of the smallest, which no measured time hides.
constexpr std::int64_t kLeastSpan = 4;

using Tiers = std::map<std::int64_t, std::vector<const Row*>>;

// Rows of one time by what they share: the key without the tier. Other kernels tie no more often.
std::map<std::string, Tiers> ByKey(const Family& family, std::span<const Row* const> rows) {
  std::map<std::string, Tiers> by_key;
  std::string scratch;
  for (const Row* const row : rows) {
    const Cells cells = SplitLine(row->line, scratch);
    if (cells.size() != family.columns.size()) continue;  // a garbled row's own text
    const auto tier = ParseInt64(cells[family.lookup.m]);
    if (!tier || *tier <= kOneLaunch) continue;
    std::string key;
    for (const std::size_t column : family.key_columns) {
      if (column != family.lookup.m) key.append(cells[column]).append(1, ',');
    }
    by_key[key][*tier].push_back(row);
  }
  return by_key;
}

void WarnOfTiers(const Family& family, const Tiers& tiers, std::vector<RowIssue>& issues) {
  const std::int64_t least = tiers.begin()->first, most = tiers.rbegin()->first;
  if (tiers.size() < kFewestTiers || most / least < kLeastSpan) return;
  for (const auto& [tier, rows] : tiers) {
    if (tier == most) return;
    for (const Row* const row : rows) {
      if (row->standing != Standing::kMeasured) continue;  // its time is not believed as it is
      issues.push_back(
          {row->source_line, family.columns[family.objective].name, "copied_time",
           fmt::format("{} stands for {} values of {} from {} to {}: it was measured "
                       "for one of them at most",
                       row->us, tiers.size(), family.columns[family.lookup.m].name, least, most)});
    }
  }
}

}  // namespace

std::vector<RowIssue> CopiedTimes(const Family& family, const std::vector<Row>& rows) {
  std::vector<RowIssue> issues;
  if (family.lookup.kind != kTokenTiers || family.objective == kNoColumn) return issues;
  std::vector<const Row*> timed;
  for (const Row& row : rows) {
    if (row.us > 0 && std::isfinite(row.us)) timed.push_back(&row);
  }
  const auto time_of = [](const Row* row) { return row->us; };
  std::ranges::stable_sort(timed, {}, time_of);
  for (auto begin = timed.begin(); begin != timed.end();) {
    const auto end = std::ranges::upper_bound(begin, timed.end(), (*begin)->us, {}, time_of);
    const std::span<const Row* const> same(begin, end);
    begin = end;
    if (same.size() < kFewestTiers) continue;
    for (const auto& [key, tiers] : ByKey(family, same)) WarnOfTiers(family, tiers, issues);
  }
  std::ranges::stable_sort(issues, {}, &RowIssue::line);
  return issues;
}

}  // namespace tunehub::core
