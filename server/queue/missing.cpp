#include "server/queue/missing.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/row/row_target.h"
#include "core/shapes/lookup_shape.h"
#include "server/answers/shapes.h"

namespace tunehub::server {

core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target) {
  const std::string cus = target.cu_num > 0 ? std::to_string(target.cu_num) : "";
  core::Cells cells(shape.cells.begin(), shape.cells.end());
  core::PutTarget(family, target.gfx, cus, cells);
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

void AddDemand(const core::Family& family, core::FamilyShape shape, std::int64_t count,
               DemandByShape& demand) {
  std::string order = core::OrderKeyOf(family, shape, "", 0);
  core::ShapeDemand& entry = demand[std::move(order)];
  entry.shape = std::move(shape);
  entry.count += count;
}

bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target) {
  const core::Family& family = *snapshot.family;
  const std::string order = core::OrderKeyOf(family, shape, target.gfx, target.cu_num);
  auto row =
      std::lower_bound(snapshot.rows.begin(), snapshot.rows.end(), order,
                       [](const auto& it, const std::string& key) { return it->order < key; });
  for (; row != snapshot.rows.end() && (*row)->order == order; ++row) {
    if ((*row)->by_default() && (*row)->standing <= core::Standing::kDeclared &&
        !(*row)->baseline) {
      return true;
    }
  }
  return false;
}

core::FamilyShape ForLookup(const core::Family& family, core::FamilyShape shape) {
  if (family.lookup.m == core::kNoColumn) return shape;
  std::string& cell = shape.cells[family.lookup.m];
  const auto m = core::ParseInt64(cell);
  if (m && *m >= 1) cell = std::to_string(core::LookupM(family, *m));
  return shape;
}

DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, bool raw, std::size_t* met) {
  DemandByShape untuned;
  std::size_t left_out = 0;
  for (const DemandRecord& record : demand) {
    for (core::FamilyShape& shape : ReadStoredShapes(*snapshot.family, "[" + record.shape + "]")) {
      core::FamilyShape usable = ForLookup(*snapshot.family, shape);
      if (IsTuned(snapshot, shape, target) || IsTuned(snapshot, usable, target)) {
        ++left_out;
      } else {
        AddDemand(*snapshot.family, raw ? std::move(shape) : std::move(usable), record.count,
                  untuned);
      }
    }
  }
  if (met != nullptr) *met = left_out;
  return untuned;
}

std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand) {
  std::vector<core::ShapeDemand> shapes;
  for (auto& [order, shape] : demand) shapes.push_back(std::move(shape));
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return shapes;
}

namespace {

// Targets are in the hands of whoever asks: beyond these, all are forgotten.
constexpr std::size_t kMaxKnown = 256;

DemandCounts::Counts Fold(const core::Family& family, const std::vector<DemandRecord>& records) {
  DemandCounts::Counts counts;
  for (const DemandRecord& record : records) {
    for (core::FamilyShape& shape : ReadStoredShapes(family, "[" + record.shape + "]")) {
      const core::FamilyShape usable = ForLookup(family, std::move(shape));
      counts[core::OrderKeyOf(family, usable, "", 0)] += record.count;
    }
  }
  return counts;
}

}  // namespace

std::shared_ptr<const DemandCounts::Counts> DemandCounts::Of(const core::Family& family,
                                                             const core::Target& target) {
  const std::tuple key(definitions_.Id(family), target.gfx, target.cu_num);
  try {
    // Asked first: what comes in between is read twice, never missed.
    const std::string newest = DemandStore(pool_).NewestDemand(target.gfx, target.cu_num);
    {
      const std::lock_guard lock(mutex_);
      const auto known = known_.find(key);
      if (known != known_.end() && known->second.newest == newest) return known->second.counts;
    }
    auto counts = std::make_shared<const Counts>(
        newest.empty() ? Counts()
                       : Fold(family, DemandStore(pool_).ReadDemand(std::get<0>(key), target.gfx,
                                                                    target.cu_num)));
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[key] = {newest, counts};
    return counts;
  } catch (const Unavailable& error) {
    spdlog::debug("without demand: {}", error.what());
    return std::make_shared<const Counts>();
  }
}

namespace {

// Records read at once, and for one page: where more of the demand is met, the page is short.
constexpr std::size_t kReadAtOnce = 500, kMostRead = 20'000;

bool Fits(const core::Target& target, const DemandRecord& record) {
  return (record.gfx.empty() || record.gfx == target.gfx) &&
         (record.cu_num == 0 || target.cu_num == 0 || record.cu_num == target.cu_num);
}

std::vector<core::Target> TargetsFor(const FamilySnapshot& snapshot, const DemandRecord& record) {
  const bool counted = snapshot.family->cu_num != core::kNoColumn;
  if (!record.gfx.empty() && !counted) return {{record.gfx, 0}};
  if (!record.gfx.empty() && record.cu_num > 0) return {{record.gfx, record.cu_num}};
  std::set<std::pair<std::string, int>> seen;
  std::vector<core::Target> targets;
  for (const auto& row : snapshot.rows) {
    const core::Target target{row->gfx, row->cu_num};
    if (Fits(target, record) && seen.emplace(row->gfx, row->cu_num).second) {
      targets.push_back(target);
    }
  }
  return targets;
}

bool IsMet(const Snapshots& snapshots, const DemandRecord& record, const core::FamilyShape& shape,
           const core::FamilyShape& usable) {
  const auto snapshot = snapshots.Current()->families.at(record.family);
  for (const core::Target& target : TargetsFor(*snapshot, record)) {
    if (IsTuned(*snapshot, shape, target) || IsTuned(*snapshot, usable, target)) return true;
  }
  return false;
}

void AddOpenJobs(ConnectionPool& pool, const Snapshots& snapshots, MissingPage& page) {
  nlohmann::ordered_json shapes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < page.shapes.size(); ++i) {
    const MissingShape& it = page.shapes[i];
    if (it.record.gfx.empty()) continue;
    const core::Family& family = *snapshots.Current()->families.at(it.record.family)->family;
    shapes.push_back({{"place", i},
                      {"family", it.record.family},
                      {"gfx", it.record.gfx},
                      {"cu_num", it.record.cu_num},
                      {"shape", ShapeJson(family, it.to_tune)}});
  }
  if (shapes.empty()) return;
  for (auto& [place, job] : JobStore(pool).FindOpenJobs(shapes.dump())) {
    page.shapes.at(place).job = std::move(job);
  }
}

}  // namespace

MissingPage FindMissing(ConnectionPool& pool, const Snapshots& snapshots, DemandFilter filter) {
  const std::size_t limit = filter.limit;
  filter.limit = kReadAtOnce;
  MissingPage page;
  for (std::size_t read = 0; read < kMostRead; read += kReadAtOnce) {
    auto records = DemandStore(pool).ListDemand(filter);
    const bool last = records.size() < kReadAtOnce;
    for (DemandRecord& record : records) {
      filter.after = {record.count, record.id};
      const core::Family& family = *snapshots.Current()->families.at(record.family)->family;
      auto shapes = ReadStoredShapes(family, "[" + record.shape + "]");
      if (shapes.empty()) continue;  // of an older family file
      core::FamilyShape usable = ForLookup(family, shapes.front());
      if (IsMet(snapshots, record, shapes.front(), usable)) continue;
      page.shapes.push_back({std::move(record), std::move(usable), std::nullopt});
      if (page.shapes.size() < limit) continue;
      page.next = filter.after;
      AddOpenJobs(pool, snapshots, page);
      return page;
    }
    page.next = last ? std::nullopt : filter.after;
    if (last) break;
  }
  AddOpenJobs(pool, snapshots, page);
  return page;
}

}  // namespace tunehub::server
