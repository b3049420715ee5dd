#include "server/snapshots/snapshot.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "core/row/cell.h"
#include "core/row/row.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

bool Before(const TunedRow& a, const TunedRow& b) {
  return std::tie(a.order, a.provider) < std::tie(b.order, b.provider);
}

std::runtime_error Misfit(const core::Family& family) {
  return std::runtime_error(family.name + ": the family file cannot read a stored line");
}

// Moves lines of other versions to the columns of `family`, one version at a time.
void Renew(const core::Family& family, std::int16_t id, FamilyVersions& versions,
           const core::Targets& targets, const std::vector<TunedRecord>& past) {
  std::map<int, std::vector<TunedRow*>> by_version;
  for (const TunedRecord& it : past) by_version[it.family_version].push_back(it.row.get());
  for (const auto& [number, rows] : by_version) {
    const auto version = versions.Get(id, number);
    if (version->source == family.source) continue;
    std::vector<std::string_view> lines;
    for (const TunedRow* row : rows) lines.push_back(row->line);
    auto reread = Reread(*version, family, targets, lines);
    if (!reread) throw Misfit(family);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i]->line = std::move((*reread)[i].line);
  }
}

// Reads the line's cells into `row`; false: the line has another number of cells.
bool ReadLine(const core::Family& family, const core::Targets& targets, TunedRow& row,
              std::string& scratch) {
  const core::Cells cells = core::SplitLine(row.line, scratch);
  if (cells.size() != family.columns.size()) return false;
  core::Target target = core::TargetOf(family, targets, cells);
  row.gfx = std::move(target.gfx);
  row.cu_num = target.cu_num;
  row.engine_says = family.engine != core::kNoColumn;
  row.us = std::numeric_limits<double>::quiet_NaN();
  if (family.objective != core::kNoColumn) {
    row.us = core::ParseNumber(cells[family.objective]).value_or(row.us);
  }
  core::AppendOrderKey(row.order, family, cells);
  return true;
}

}  // namespace

std::shared_ptr<const FamilySnapshot> Advance(
    const FamilySnapshot& old, const SnapshotDelta& delta,
    std::vector<std::shared_ptr<const TunedRow>> changed) {
  auto next = std::make_shared<FamilySnapshot>();
  next->family = old.family;
  next->id = old.id;
  next->revision = delta.family_revision;
  next->change = delta.change;
  next->version = delta.family_version;
  next->era = old.era;
  std::set<std::pair<std::string, Provider>> gone;
  for (const TunedRecord& record : delta.rows) {
    if (!record.served) gone.emplace(record.row->order, record.row->provider);
  }
  // Merges in one pass, because old and changed rows are sorted.
  next->rows.reserve(old.rows.size() + changed.size());
  auto fresh = changed.begin();
  for (const auto& row : old.rows) {
    while (fresh != changed.end() && Before(**fresh, *row)) next->rows.push_back(*fresh++);
    const bool replaced = fresh != changed.end() && !Before(*row, **fresh);
    if (replaced)
      next->rows.push_back(*fresh++);
    else if (gone.empty() || !gone.contains({row->order, row->provider}))
      next->rows.push_back(row);
  }
  next->rows.insert(next->rows.end(), fresh, changed.end());
  next->rows.shrink_to_fit();  // the rows stay until the next change
  return next;
}

void SortRows(std::vector<std::shared_ptr<const TunedRow>>& rows) {
  std::ranges::sort(rows, [](const auto& a, const auto& b) { return Before(*a, *b); });
}

std::shared_ptr<TunedRow> RowOfLine(const core::Family& family, const core::Targets& targets,
                                    std::string line, std::string& scratch) {
  auto row = std::make_shared<TunedRow>();
  row->line = std::move(line);
  return ReadLine(family, targets, *row, scratch) ? row : nullptr;
}

std::vector<std::shared_ptr<const TunedRow>> RowsOfPast(const core::Family& family, std::int16_t id,
                                                        std::vector<TunedRecord> past,
                                                        FamilyVersions& versions,
                                                        const core::Targets& targets) {
  Renew(family, id, versions, targets, past);
  std::vector<std::shared_ptr<const TunedRow>> rows;
  rows.reserve(past.size());
  std::string scratch;
  for (TunedRecord& stored : past) {
    if (!ReadLine(family, targets, *stored.row, scratch)) throw Misfit(family);
    rows.push_back(std::move(stored.row));
  }
  SortRows(rows);
  return rows;
}

}  // namespace tunehub::server
