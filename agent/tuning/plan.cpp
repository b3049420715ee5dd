#include "agent/tuning/plan.h"

#include <algorithm>

namespace tunehub::agent::tuning {
namespace {

// Winners and runners-up of neighbours that are tried before anything else.
constexpr std::size_t kMostLikely = 6;
// Of all candidates, what a plan with hints screens at most: a candidate is screened in a fifth of
// the time that the exhaustive search gives it, and the second phase and the data of the shape take
// the rest of the quarter that tuning with neighbours may take.
constexpr double kBudgetShare = 0.6;
constexpr std::size_t kLeastBudget = 9, kMostBudget = 40;

std::optional<std::size_t> IndexOf(const Offer& offer, const Columns& candidate) {
  const auto found = std::find(offer.candidates.begin(), offer.candidates.end(), candidate);
  if (found == offer.candidates.end()) return std::nullopt;
  return static_cast<std::size_t>(found - offer.candidates.begin());
}

}  // namespace

Plan::Plan(const Offer& offer, const Hints& hints, bool cut)
    : offer_(offer), queued_(offer.candidates.size()), budget_(offer.candidates.size()) {
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
  const std::size_t wanted = std::clamp(share, kLeastBudget, kMostBudget);
  budget_ = std::min(budget_, std::max(wanted, queue_.size()));
}

void Plan::Queue(std::size_t candidate) {
  if (queued_[candidate]) return;
  queued_[candidate] = true;
  queue_.push_back(candidate);
}

std::optional<std::size_t> Plan::Nearest(
    const std::vector<std::optional<Measurement>>& measured) const {
  std::optional<std::size_t> best;
  const auto us = [&](std::size_t i) { return Median(measured[i]->samples); };
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (measured[i] && measured[i]->competes() && (!best || us(i) < us(*best))) best = i;
  }
  std::optional<std::size_t> nearest;
  int least = 0;
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    if (queued_[i]) continue;
    const int differences = best ? Differences(offer_.candidates[*best], offer_.candidates[i]) : 0;
    if (!nearest || differences < least) {
      nearest = i;
      least = differences;
    }
  }
  return nearest;
}

std::optional<std::size_t> Plan::Next(const std::vector<std::optional<Measurement>>& measured) {
  if (next_ == budget_) return std::nullopt;
  if (next_ == queue_.size()) {
    const auto nearest = Nearest(measured);
    if (!nearest) return std::nullopt;
    Queue(*nearest);
  }
  return queue_[next_++];
}

}  // namespace tunehub::agent::tuning
