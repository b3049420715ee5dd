#include "agent/tuning/neighbours.h"

#include <algorithm>
#include <map>

namespace tunehub::agent::tuning {
namespace {

constexpr std::size_t kMostNeighbours = 3;
// Four octaves of M, or two of N: farther away other kernels win.
constexpr double kFarthest = 8;

}  // namespace

Ranking RankingOf(const std::vector<Measurement>& measurements) {
  std::vector<const Measurement*> order;
  for (const Measurement& it : measurements) {
    if (it.competes()) order.push_back(&it);
  }
  std::stable_sort(order.begin(), order.end(), [](const Measurement* a, const Measurement* b) {
    return Median(a->samples) < Median(b->samples);
  });
  Ranking ranking;
  for (const Measurement* it : order) ranking.push_back(it->candidate);
  return ranking;
}

Neighbours::Known* Neighbours::Find(const Columns& shape) {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& it) { return it.shape == shape; });
  return found == known_.end() ? nullptr : &*found;
}

void Neighbours::AddWinner(const Columns& shape, const Columns& winner) {
  if (Find(shape) == nullptr) known_.push_back({shape, {winner}, false});
}

void Neighbours::Add(const Columns& shape, Ranking ranking) {
  if (ranking.empty()) return;
  if (Known* known = Find(shape)) {
    *known = {shape, std::move(ranking), true};
  } else {
    known_.push_back({shape, std::move(ranking), true});
  }
}

Ranking Neighbours::LikelyFor(const Columns& shape) {
  std::multimap<double, Known*> near;
  for (Known& it : known_) {
    const double distance = Distance(shape, it.shape);
    if (distance <= kFarthest) near.emplace(distance, &it);
  }
  std::vector<Known*> nearest;
  for (const auto& [distance, known] : near) {
    if (nearest.size() == kMostNeighbours) break;
    if (!known->complete && fetch_) {
      if (Ranking ranking = fetch_(known->shape); !ranking.empty()) known->ranking = ranking;
      known->complete = true;
    }
    nearest.push_back(known);
  }
  return Interleaved(nearest);
}

// The first of each, then the second of each, ..., every candidate once.
Ranking Neighbours::Interleaved(const std::vector<Known*>& nearest) {
  Ranking likely;
  std::size_t longest = 0;
  for (const Known* known : nearest) longest = std::max(longest, known->ranking.size());
  for (std::size_t rank = 0; rank < longest; ++rank) {
    for (const Known* known : nearest) {
      if (rank >= known->ranking.size()) continue;
      const Columns& candidate = known->ranking[rank];
      if (std::ranges::find(likely, candidate) == likely.end()) likely.push_back(candidate);
    }
  }
  return likely;
}

}  // namespace tunehub::agent::tuning
