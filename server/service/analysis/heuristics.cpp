#include "server/service/analysis/heuristics.h"

#include <fmt/core.h>

#include <stdexcept>

#include "core/analysis/learn.h"

namespace tunehub::service {

Heuristics::Heuristics(const Definitions& definitions, const Snapshots& snapshots,
                       TimeTables& times)
    : definitions_(definitions), snapshots_(snapshots), times_(times) {
  for (const auto& family : definitions_.families.all()) {
    auto heuristic = analysis::LoadHeuristic(definitions_.heuristics, *family);
    if (!heuristic.ok()) throw std::runtime_error(heuristic.error().detail);
    if (*heuristic) written_.emplace(family->name, **std::move(heuristic));
  }
}

const analysis::Heuristic* Heuristics::Written(const core::Family& family, std::string_view gfx,
                                               int cu_num) const {
  const auto found = written_.find(family.name);
  if (found == written_.end() || !found->second.AppliesTo(gfx, cu_num)) return nullptr;
  return &found->second;
}

std::shared_ptr<analysis::Samples> Heuristics::SamplesOf(const core::Family& family,
                                                         const core::Target& target,
                                                         const FamilySnapshot& snapshot) {
  std::vector<analysis::SampleRow> rows;
  for (const auto& row : snapshot.rows) {
    if (!row->by_default() || row->gfx != target.gfx || row->cu_num != target.cu_num) continue;
    if (row->baseline) continue;  // nobody chose it
    rows.push_back({row->line, row->cu_num, row->us, row->standing});
  }
  // What else was measured on a key tells what a wrong choice costs.
  const auto times = times_.Get(family);
  for (const KeyTimes& key : times->keys) {
    if (key.gfx != target.gfx || key.cu_num != target.cu_num) continue;
    for (std::size_t i = 1; i < key.candidates.size(); ++i) {
      rows.push_back(
          {key.candidates[i].line, key.cu_num, key.candidates[i].us, core::Standing::kMeasured});
    }
  }
  return std::make_shared<analysis::Samples>(analysis::MakeSamples(family, rows));
}

core::Result<std::shared_ptr<const Learned>> Heuristics::Learn(const core::Family& family,
                                                               const core::Target& target) {
  const auto snapshot = snapshots_.Current(family);
  const std::lock_guard lock(mutex_);
  Known& known = known_[{snapshot->id, target.gfx, target.cu_num}];
  if (known.learned != nullptr && known.learned->revision == snapshot->revision) {
    return known.learned;
  }
  const auto samples = SamplesOf(family, target, *snapshot);
  if (const auto enough = analysis::CheckEnough(*samples); !enough.ok()) {
    known_.erase({snapshot->id, target.gfx, target.cu_num});  // anybody may ask for any target
    return enough.error();
  }
  auto learned = std::make_shared<Learned>();
  learned->revision = snapshot->revision;
  learned->samples = samples;
  learned->tree = analysis::Learner(*samples).Learn();
  learned->tree.gfx = target.gfx;
  learned->tree.cu_num = target.cu_num;
  learned->tree.about = fmt::format("Learned from {} tuned shapes of revision {}.",
                                    samples->rows.size(), snapshot->revision.number);
  if (const auto* written = Written(family, target.gfx, target.cu_num)) {
    learned->tree.fallback = written->fallback;
  }
  known.learned = learned;
  known.rated = nullptr;
  return known.learned;
}

std::shared_ptr<const Rated> Heuristics::Rate(const core::Family& family,
                                              const core::Target& target, const Learned& learned) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[{definitions_.Id(family), target.gfx, target.cu_num}];
  const bool current = known.learned.get() == &learned;
  if (current && known.rated != nullptr) return known.rated;
  const analysis::Samples& samples = *learned.samples;
  auto rated = std::make_shared<Rated>();
  rated->left_out = analysis::Learner(samples).LeaveOut();
  rated->seen = analysis::ScoreOf(samples, learned.tree);
  if (const auto* written = Written(family, target.gfx, target.cu_num)) {
    if (!written->nodes.empty()) rated->written = analysis::ScoreOf(samples, *written);
    if (written->fallback) rated->fallback = analysis::ScoreOf(samples, *written->fallback);
  }
  if (current) known.rated = rated;
  return rated;
}

const analysis::Heuristic* Heuristics::Best(const core::Family& family, const core::Target& target,
                                            std::shared_ptr<const Learned>& holder) {
  const auto* written = Written(family, target.gfx, target.cu_num);
  if (written != nullptr && !written->nodes.empty()) return written;
  const auto learned = Learn(family, target);
  if (!learned.ok()) return nullptr;
  holder = *learned;
  return &holder->tree;
}

}  // namespace tunehub::service
