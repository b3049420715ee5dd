#include "core/analysis/model_score.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/shapes/model_shapes.h"

namespace tunehub::analysis {
namespace {

using Size = std::pair<std::int64_t, std::int64_t>;  // N, K

constexpr std::int64_t kMostTp = 16;

std::map<Size, Tally> BySize(const Samples& samples, const Score& score) {
  const core::Family& family = samples.family;
  const std::size_t n = samples.features.Find(family.columns[family.metric.n].name);
  const std::size_t k = samples.features.Find(family.columns[family.metric.k].name);
  std::vector<const Sample*> first(samples.groups.size(), nullptr);
  for (const Sample& sample : samples.rows) {
    if (first[sample.group] == nullptr) first[sample.group] = &sample;
  }
  std::map<Size, Tally> sizes;
  for (std::size_t i = 0; i < first.size(); ++i) {
    Tally& tally = sizes[{static_cast<std::int64_t>(first[i]->numbers[n]),
                          static_cast<std::int64_t>(first[i]->numbers[k])}];
    tally.rows += score.groups[i].rows;
    tally.matches += score.groups[i].matches;
  }
  return sizes;
}

}  // namespace

std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models) {
  std::vector<ModelTally> tallies;
  if (samples.family.metric.formula != "gemm") return tallies;
  const auto sizes = BySize(samples, score);
  std::map<std::pair<std::int64_t, std::set<Size>>, std::size_t> places;  // into `tallies`
  for (const core::Model& model : models) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto projections = core::Projections(model, tp);
      if (!projections.ok()) continue;  // it cannot be split so
      std::set<Size> asked;
      for (const core::Projection& it : *projections) asked.emplace(it.n, it.k);
      const auto measured = [&](const Size& size) { return sizes.contains(size); };
      if (asked.empty() || !std::ranges::all_of(asked, measured)) continue;
      const auto [known, fresh] = places.try_emplace({tp, asked}, tallies.size());
      if (!fresh) {
        tallies[known->second].models.push_back(model.name);
        continue;
      }
      ModelTally& made = tallies.emplace_back(ModelTally{{model.name}, tp, asked.size(), {}});
      for (const Size& size : asked) {
        made.tally.rows += sizes.at(size).rows;
        made.tally.matches += sizes.at(size).matches;
      }
    }
  }
  return tallies;
}

}  // namespace tunehub::analysis
