#include "core/analysis/nearest_key.h"

#include <iterator>

namespace tunehub::analysis {
namespace {

// Squared distances that differ by less are equal: logarithms of one ratio do.
constexpr double kTie = 1e-9;

}  // namespace

void NearestKey::Look(const std::vector<const TimedKey*>& keys) {
  const double n = Apart(keys, 1), k = Apart(keys, 2);
  if (n * n + k * k > least_ + kTie) return;
  for (const TimedKey* key : keys) {
    if ((needs_roofline_ && !key->has_roofline()) || IsSameKey(*key, asked_)) continue;
    const double distance = key->place.DistanceTo(asked_.place);
    if (distance > least_ + kTie) continue;
    const bool ties = key_ != nullptr && distance > least_ - kTie;
    if (ties && !(Order(*key) < Order(*key_))) continue;
    least_ = distance;
    key_ = key;
  }
}

void NearestKey::LookAround(const KeysByWeights& all, std::optional<Weights> but) {
  const auto look = [&](const KeysByWeights::value_type& group) {
    const double n = Apart(group.second, 1);
    if (n * n > least_ + kTie) return false;
    if (group.first != but) Look(group.second);
    return true;
  };
  const auto begin = all.lower_bound({asked_.place.n, 0});
  for (auto it = begin; it != all.end() && look(*it);) ++it;
  for (auto it = begin; it != all.begin() && look(*std::prev(it));) --it;
}

}  // namespace tunehub::analysis
