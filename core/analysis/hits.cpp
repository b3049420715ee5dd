#include "core/analysis/hits.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

using core::Cells;
using core::Family;
using core::MissShape;

// The columns of the untuned table that a lookup compares, without the target's columns.
std::vector<std::size_t> ComparedPlaces(const Family& family) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < family.untuned_columns.size(); ++i) {
    const std::size_t column = family.Find(family.untuned_columns[i]);
    const bool ignored = std::ranges::count(family.lookup.ignored, column) > 0;
    if (family.columns[column].is_shape() && !ignored) places.push_back(i);
  }
  return places;
}

bool Says(const std::string& said, std::size_t column, const Cells& cells) {
  return said.empty() || column == core::kNoColumn || said == cells[column];
}

bool OfTarget(const Family& family, const MissShape& hit, const Cells& cells) {
  return Says(hit.gfx, family.gfx, cells) && Says(hit.cu_num, family.cu_num, cells);
}

bool OfConfig(const Family& family, const MissShape& hit, const Cells& cells) {
  return std::ranges::all_of(hit.config, [&](const auto& said) {
    return Says(said.second, family.Find(said.first), cells);
  });
}

// Counts the columns that the lookup does not compare but that equal the line's values.
std::size_t Likeness(const Family& family, const MissShape& hit, const Cells& cells) {
  std::size_t alike = 0;
  for (std::size_t i = 0; i < hit.cells.size(); ++i) {
    const std::size_t column = family.Find(family.untuned_columns[i]);
    if (std::ranges::count(family.lookup.ignored, column) > 0 && hit.cells[i] == cells[column]) {
      ++alike;
    }
  }
  return alike;
}

class Matcher {
 public:
  explicit Matcher(const lookup::Table& table)
      : family_(table.family()), table_(table), places_(ComparedPlaces(family_)) {
    std::string scratch;
    for (std::size_t row = 0; row < table.rows().size(); ++row) {
      const Cells cells = core::SplitLine(table.rows()[row].line, scratch);
      std::string key;
      for (const std::size_t i : places_) {
        key.append(cells[family_.Find(family_.untuned_columns[i])]).append(1, ',');
      }
      rows_[key].push_back(row);
    }
  }

  void Match(const MissShape& hit, TableHits& hits) const {
    std::string key, scratch;
    for (const std::size_t i : places_) key.append(hit.cells[i]).append(1, ',');
    const auto found = rows_.find(key);
    std::size_t best = lookup::kNoRow, best_alike = 0;
    bool has_key = false;
    for (const std::size_t row :
         found == rows_.end() ? std::vector<std::size_t>() : found->second) {
      const Cells cells = core::SplitLine(table_.rows()[row].line, scratch);
      if (!OfTarget(family_, hit, cells)) continue;
      has_key = true;
      if (!OfConfig(family_, hit, cells)) continue;
      const std::size_t alike = Likeness(family_, hit, cells);
      if (best != lookup::kNoRow && alike <= best_alike) continue;
      best = row;
      best_alike = alike;
    }
    if (best == lookup::kNoRow) {
      hits.strays.push_back({&hit, has_key});
    } else {
      hits.found[best] += hit.count;
    }
  }

 private:
  const Family& family_;
  const lookup::Table& table_;
  const std::vector<std::size_t> places_;
  std::unordered_map<std::string, std::vector<std::size_t>> rows_;  // by the compared columns
};

}  // namespace

TableHits MatchHits(const lookup::Table& table, std::span<const MissShape> hits) {
  TableHits matched;
  matched.found.resize(table.rows().size());
  const Matcher matcher(table);
  for (const MissShape& hit : hits) matcher.Match(hit, matched);
  std::map<std::pair<std::string, std::string>, const MissShape*> targets;
  for (const MissShape& hit : hits) targets.try_emplace({hit.gfx, hit.cu_num}, &hit);
  std::string scratch;
  for (const lookup::TableRow& row : table.rows()) {
    const Cells cells = core::SplitLine(row.line, scratch);
    const auto of_row = [&](const auto& it) { return OfTarget(table.family(), *it.second, cells); };
    matched.asked.push_back(targets.empty() || std::ranges::any_of(targets, of_row));
  }
  return matched;
}

void KeepTarget(const lookup::Table& table, const MissShape& target, TableHits& hits) {
  std::string scratch;
  for (std::size_t row = 0; row < table.rows().size(); ++row) {
    const Cells cells = core::SplitLine(table.rows()[row].line, scratch);
    hits.asked[row] = hits.asked[row] && OfTarget(table.family(), target, cells);
  }
}

}  // namespace tunehub::analysis
