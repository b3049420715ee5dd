// Samples with every number replaced by the place of its value among at most 256, so that the best
// split of any set of rows is found in one pass over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/samples.h"

namespace tunehub::analysis {

// Each bucket of M has the same weight together, each row the same within its bucket. 0 where
// `taken` is false.
std::vector<double> BalancedWeights(const Samples& samples, const std::vector<bool>& taken);

class Binned {
 public:
  // `weights` decide where a feature with more values is cut: at even shares of them.
  Binned(const Samples& samples, const std::vector<double>& weights);

  std::size_t features() const { return features_.size(); }
  const std::vector<std::uint8_t>& bins(std::size_t feature) const {
    return features_[feature].bins;
  }
  std::size_t bin_count(std::size_t feature) const { return features_[feature].upper.size(); }
  // What a number must not exceed to lie in bin 0 to `bin`: between two values that occur.
  double Threshold(std::size_t feature, std::size_t bin) const {
    return features_[feature].upper[bin];
  }

 private:
  struct Feature {
    std::vector<std::uint8_t> bins;  // by row
    std::vector<double> upper;       // by bin; of the last one the largest number
  };
  std::vector<Feature> features_;
};

struct NodeSplit {
  double gain = 0;  // 0: none
  std::size_t feature = 0, bin = 0;
};

// The split after which the weighted choices of both sides are purest (Gini), with at least
// `fewest` rows on each. Of equal ones the first feature, the lowest bin.
NodeSplit BestSplit(const Binned& binned, const Samples& samples,
                    const std::vector<double>& weights, const std::vector<std::uint32_t>& rows,
                    std::size_t fewest);

}  // namespace tunehub::analysis
