#include "server/service/trends/point_maker.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/service/analysis/coverage.h"

namespace tunehub::service {
namespace {

using Place = std::pair<std::string, int>;

// Families that are asked by a device's name have no target of their own.
bool HasTargets(const DispatchTable& table) {
  return table.snapshot->family->device == core::kNoColumn;
}

std::set<Place> TargetsWithRows(const RegistryState& state) {
  std::set<Place> targets;
  for (const auto& table : state.tables) {
    if (!HasTargets(*table)) continue;
    for (const auto& row : table->snapshot->rows) {
      if (row->by_default() && row->cu_num > 0) targets.emplace(row->gfx, row->cu_num);
    }
  }
  return targets;
}

void Put(const analysis::BucketShare& share, store::PointModel& model) {
  const auto of = [&](analysis::State state) {
    return share.totals().of.at(static_cast<std::size_t>(state));
  };
  model.buckets = static_cast<int>(share.buckets());
  model.covered = share.covered() * model.buckets;
  model.shapes = share.totals().shapes();
  model.found = share.totals().covered();
  model.baseline = of(analysis::State::kBaseline);
  model.unmeasured = of(analysis::State::kUnmeasured);
  model.missing = of(analysis::State::kMissing);
}

}  // namespace

const ModelParts& PointMaker::PartsOf(const ModelFiles& models, const DispatchTable& table,
                                      const core::Target& target) {
  Parts& known = parts_[{table.snapshot->id, target.gfx, target.cu_num}];
  const core::Hash128 rows = table.rows.Of(target.gfx);
  if (known.rows == rows) return known.parts;
  known.rows.reset();
  known.parts.clear();
  for (std::size_t i = 0; i < models.models.size(); ++i) {
    const SplitModel& it = models.models[i];
    auto part =
        PartOf(it.model, i, {models.engine.get(), it.tp}, table, definitions_.targets, target, {});
    if (part) known.parts.push_back(*std::move(part));
  }
  known.rows = rows;
  return known.parts;
}

void PointMaker::AddModels(const ModelFiles& models, const RegistryState& state,
                           store::PointRows& point) {
  for (const auto& [gfx, cu_num] : TargetsWithRows(state)) {
    const core::Target target{gfx, cu_num};
    std::vector<store::PointModel> cells;
    std::vector<analysis::BucketShare> shares(models.models.size());
    for (const SplitModel& it : models.models) {
      cells.push_back({});
      cells.back().model = it.model.name;
      cells.back().gfx = gfx;
      cells.back().cu_num = cu_num;
      cells.back().tp = it.tp;
    }
    for (const auto& table : state.tables) {
      if (!HasTargets(*table) || !CanRun(definitions_.targets, *table->snapshot, target)) continue;
      for (const ModelPart& part : PartsOf(models, *table, target))
        shares[part.model].Add(part.share);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Put(shares[i], cells[i]);
      if (cells[i].is_there()) point.models.push_back(std::move(cells[i]));
    }
  }
}

const std::vector<store::PointFamily>& PointMaker::FiguresOf(const DispatchTable& table) {
  const FamilySnapshot& of = *table.snapshot;
  Figures& known = figures_[of.id];
  if (known.revision != of.revision) {
    known.rows = store_.points().ReadFamilies(of.id, of.revision.number,
                                              of.family->engine != core::kNoColumn);
    known.revision = of.revision;
  }
  return known.rows;
}

store::PointRows PointMaker::Make(const ModelFiles& models, const RegistryState& state) {
  const std::lock_guard lock(mutex_);
  if (models_ != models.sha256) parts_.clear();
  models_ = models.sha256;
  store::PointRows point;
  AddModels(models, state, point);
  for (const auto& table : state.tables) {
    if (table->snapshot->revision.number == 0) continue;
    const auto& rows = FiguresOf(*table);
    point.families.insert(point.families.end(), rows.begin(), rows.end());
  }
  std::ranges::sort(point.models, {}, &store::PointModel::place);
  std::ranges::sort(point.families, {}, &store::PointFamily::place);
  return point;
}

}  // namespace tunehub::service
