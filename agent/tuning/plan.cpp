#include "agent/tuning/plan.h"

#include <algorithm>

namespace tunehub::agent::tuning {
namespace {

// Winners and runners-up of neighbours that are tried before anything else.
constexpr std::size_t kMostLikely = 10;
// Of all candidates, what a plan with hints screens at most: the rest of the quarter of the
// exhaustive time that tuning with neighbours may take goes to the second phase.
constexpr double kBudgetShare = 0.18;
constexpr std::size_t kLeastBudget = 12;
// The best so far whose neighbours in the parameters are tried.
constexpr std::size_t kExplored = 2;

std::optional<std::size_t> IndexOf(const Offer& offer, const Columns& candidate) {
  const auto found = std::find(offer.candidates.begin(), offer.candidates.end(), candidate);
  if (found == offer.candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - offer.candidates.begin());
}

}  // namespace

Plan::Plan(const Offer& offer, const Hints& hints, bool cut)
    : offer_(offer),
      queued_(offer.candidates.size()),
      explored_(offer.candidates.size()),
      budget_(offer.candidates.size()) {
  std::size_t likely = 0;
  for (const Columns& candidate : hints.likely) {
    if (cut && likely == kMostLikely) break;
    const auto index = IndexOf(offer, candidate);
    if (!index || queued_[*index]) continue;
    Queue(*index);
    ++likely;
  }
  if (hints.incumbent) {
    if (const auto index = IndexOf(offer, *hints.incumbent)) Queue(*index);
  }
  Queue(offer.fallback);
  if (!cut || likely == 0) {
    for (std::size_t i = 0; i < offer.candidates.size(); ++i) Queue(i);
    return;
  }
  const auto share = static_cast<std::size_t>(kBudgetShare * static_cast<double>(budget_));
  budget_ = std::min(budget_, std::max({share, kLeastBudget, queue_.size()}));
}

void Plan::Queue(std::size_t candidate) {
  if (queued_[candidate]) return;
  queued_[candidate] = true;
  queue_.push_back(candidate);
}

void Plan::QueueNear(std::size_t candidate) {
  explored_[candidate] = true;
  for (std::size_t i = 0; i < offer_.candidates.size(); ++i) {
    if (!queued_[i] && Differences(offer_.candidates[candidate], offer_.candidates[i]) == 1) {
      Queue(i);
    }
  }
}

std::optional<std::size_t> Plan::Next(const std::vector<std::optional<Measurement>>& measured) {
  // One parameter away from the best, as soon as the best is known, before what was queued for a
  // best that has lost its place.
  while (next_ == queue_.size() && queue_.size() < offer_.candidates.size()) {
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      if (measured[i] && measured[i]->competes()) best.push_back(i);
    }
    std::sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) {
      return Median(measured[a]->samples) < Median(measured[b]->samples);
    });
    if (best.size() > kExplored) best.resize(kExplored);
    const auto fresh =
        std::find_if(best.begin(), best.end(), [&](std::size_t i) { return !explored_[i]; });
    if (fresh == best.end()) break;
    QueueNear(*fresh);
  }
  if (next_ >= queue_.size() || next_ >= budget_) return std::nullopt;
  return queue_[next_++];
}

}  // namespace tunehub::agent::tuning
