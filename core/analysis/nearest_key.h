// The nearest of a family's keys, by whose time another can be told.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/timed_key.h"

namespace tunehub::analysis {

using Weights = std::pair<double, double>;  // N and K
using KeysByWeights = std::map<Weights, std::vector<const TimedKey*>>;

// Of the keys looked at, those with a roofline where that is needed, and never the asked one. Of
// several equally near it is the first in the order of the keys.
class NearestKey {
 public:
  // `farthest`: the greatest KeyPlace::DistanceTo that is near. `asked` must outlive this.
  NearestKey(const TimedKey& asked, double farthest, bool needs_roofline)
      : asked_(asked), needs_roofline_(needs_roofline), least_(farthest) {}

  // `keys`: of one N and K.
  void Look(const std::vector<const TimedKey*>& keys);
  // From the asked N outwards, for as long as an N alone is not farther than what was found: of
  // tens of thousands of N and K a few hundred.
  void LookAround(const KeysByWeights& all, std::optional<Weights> but = {});

  const TimedKey* key() const { return key_; }  // null: none is near

 private:
  // In log2 of one dimension, alike for all of one N and K: they are as far away at least.
  double Apart(const std::vector<const TimedKey*>& keys, std::size_t dimension) const {
    return keys.front()->place.logs.at(dimension) - asked_.place.logs.at(dimension);
  }

  const TimedKey& asked_;
  const bool needs_roofline_;
  const TimedKey* key_ = nullptr;
  double least_;
};

}  // namespace tunehub::analysis
