#include "server/service/analysis/speedups.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/samples.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/speedup_keys.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kSpeedupBytes = 64 * 1024 * 1024;  // of some 400,000 keys
constexpr std::size_t kModelBytes = 8 * 1024 * 1024;
constexpr std::int64_t kMostTp = 16;
constexpr const char* kOneM = "1";  // a grid: the models' shapes are compared without M

bool Asks(const std::vector<std::string>* models, const SpeedupQuery& query) {
  return query.model.empty() || NamesModel(models, query.model, query.tp);
}

}  // namespace

bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp) {
  if (names == nullptr) return false;
  const std::string asked =
      tp == 0 ? fmt::format("{} TP", model) : fmt::format("{} TP{}", model, tp);
  return std::ranges::any_of(*names, [&](const std::string& name) {
    return tp == 0 ? name.starts_with(asked) : name == asked;
  });
}

std::size_t SizeOf(const ModelNames& models) {
  std::size_t bytes = 0;
  for (const auto& [group, names] : models.names) {
    bytes += 2 * sizeof(std::string) + group.size();
    for (const std::string& name : names) bytes += sizeof(std::string) + name.size();
  }
  return bytes;
}

std::size_t SizeOf(const FamilySpeedups& speedups) {
  return speedups.keys.capacity() * sizeof(analysis::SpeedupKey) + speedups.texts.bytes();
}

Speedups::Speedups(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times,
                   Heuristics& heuristics)
    : definitions_(definitions),
      snapshots_(snapshots),
      times_(times),
      heuristics_(heuristics),
      families_(kSpeedupBytes),
      models_(kModelBytes) {}

Speedups::Models Speedups::ModelsOf(const core::Family& family, const std::string& gfx) {
  const std::string key =
      fmt::format("{} {}", family.name, definitions_.targets.IsFnuz(gfx) ? "fnuz" : "fn");
  return *models_.Get(key, [&] { return ReadModels(family, gfx); });
}

core::Result<ModelNames> Speedups::ReadModels(const core::Family& family,
                                              const std::string& gfx) const {
  ModelNames models;
  for (const core::Model& model : core::KnownModels(definitions_.models)) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto shapes = ShapesOf(definitions_, model, family, gfx, {model.name, tp, kOneM});
      if (!shapes.ok()) continue;  // it has no such part, or cannot be split so
      for (const core::FamilyShape& shape : *shapes) {
        auto& names = models.names[analysis::GroupOf(
            family, core::Cells(shape.cells.begin(), shape.cells.end()))];
        const std::string name = fmt::format("{} TP{}", model.name, tp);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return models;
}

FamilySpeedups Speedups::Make(const FamilySnapshot& snapshot) {
  const core::Family& family = *snapshot.family;
  FamilySpeedups made;
  KeyMaker maker(snapshot, heuristics_, times_, made);
  maker.OnModels([&](const std::string& gfx) { return ModelsOf(family, gfx); });
  times_.ForEachChoice(family, maker.Candidates(),
                       [&](const store::ChoiceTime& time) { maker.Add(time); });
  maker.Finish();
  made.keys.shrink_to_fit();
  return made;
}

// The writes tell whether anything was measured since. While the database is gone the last ones
// stand.
std::shared_ptr<const FamilySpeedups> Speedups::Find(const core::Family& family) {
  const auto snapshot = snapshots_.Current(family);
  std::string known;
  {
    const std::lock_guard lock(mutex_);
    known = known_[snapshot->id];
  }
  std::string key;
  try {
    key = fmt::format("{} {} {}", family.name, times_.Writes().Text(), snapshot->revision.Text());
  } catch (const store::Unavailable&) {
    if (auto last = families_.Find(known)) return last;
    throw;
  }
  const auto made =
      families_.Get(key, [&]() -> core::Result<FamilySpeedups> { return Make(*snapshot); });
  const std::lock_guard lock(mutex_);
  if (known != key) families_.Forget(known);
  known_[snapshot->id] = key;
  return *made;
}

std::size_t Speedups::CountTuned(const core::Family& family, const SpeedupQuery& query) {
  std::size_t tuned = 0;
  std::string scratch;
  for (const auto& row : snapshots_.Current(family)->rows) {
    if (!row->by_default() || row->standing != core::Standing::kMeasured || row->baseline ||
        !query.target.Includes(row->gfx, row->cu_num)) {
      continue;
    }
    if (!query.model.empty()) {
      const Models models = ModelsOf(family, row->gfx);
      const auto asked =
          models->names.find(analysis::GroupOf(family, core::SplitLine(row->line, scratch)));
      if (asked == models->names.end() || !Asks(&asked->second, query)) continue;
    }
    ++tuned;
  }
  return tuned;
}

std::vector<std::string> Speedups::ModelsAsking(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  const Models models = ModelsOf(family, row.gfx);
  const auto asked =
      models->names.find(analysis::GroupOf(family, core::SplitLine(row.line, scratch)));
  return asked == models->names.end() ? std::vector<std::string>() : asked->second;
}

SpeedupAnswer Speedups::Get(const SpeedupQuery& query) {
  SpeedupAnswer answer;
  for (const core::Family* family : query.families) {
    const auto found = Find(*family);
    std::size_t several = 0;  // of the same keys
    for (const analysis::SpeedupKey& key : found->keys) {
      if (!query.target.Includes(key.gfx, key.cu_num) || !Asks(key.models, query)) continue;
      ++several;
      if (query.campaign.empty() || query.campaign == key.campaign) answer.keys.push_back(&key);
    }
    answer.held.push_back(found);
    const std::size_t tuned = CountTuned(*family, query);
    answer.tuned_alone += tuned - std::min(tuned, several);
  }
  return answer;
}

}  // namespace tunehub::service
