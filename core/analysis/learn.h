// Learns a heuristic from tuned rows: a decision tree, small enough for a person to read, the same
// for the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/heuristic.h"
#include "core/analysis/score.h"
#include "core/base/result.h"

namespace tunehub::analysis {

// Each bucket of M has the same weight together, each row the same within its bucket: else the many
// rows of large M, where one kernel wins, would hide the small ones. 0 where `taken` is false.
std::vector<double> BalancedWeights(const Samples& samples, const std::vector<bool>& taken);

// Samples with every number replaced by the place of its value among at most 256, so that the best
// split of any set of rows is found in one pass over them.
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

// A decision tree while it is learned: grown leaf by leaf, the best split first, then cut back
// where that costs least.
class Tree {
 public:
  // `binned` and `samples` must outlive it; `weights` by row.
  Tree(const Binned& binned, const Samples& samples, std::vector<double> weights)
      : binned_(binned), samples_(samples), weights_(std::move(weights)) {}

  // Precondition: `rows` is not empty.
  void Grow(std::vector<std::uint32_t> rows);
  // Until `leaves` are left, and where a split changes no answer.
  void Prune(std::size_t leaves);
  Heuristic ToHeuristic() const;

 private:
  struct Grown {
    std::vector<std::uint32_t> rows;  // emptied where the node was split
    NodeSplit split;                  // the best one
    bool leaf = true;
    std::size_t yes = 0, no = 0;
    std::size_t choice = 0;  // the heaviest
    double lost = 0;         // weight of the rows that have another choice
    std::size_t row_count = 0, matches = 0;
  };
  struct Subtree {
    std::size_t leaves = 1;
    double lost = 0;
  };

  std::size_t Add(std::vector<std::uint32_t> rows);
  void SplitNode(std::size_t node);
  Subtree Below(std::size_t node) const;
  void Weakest(std::size_t node, double& least, std::size_t& weakest) const;
  std::size_t Write(std::size_t node, Heuristic& heuristic) const;

  const Binned& binned_;
  const Samples& samples_;
  std::vector<double> weights_;
  std::vector<Grown> nodes_;
};

inline constexpr std::size_t kMostLeaves = 24;
// Below these a tree would say more about which shapes somebody tuned than about kernels.
inline constexpr std::size_t kFewestSamples = 200;
inline constexpr std::size_t kFewestGroups = 2;  // else there is nothing to leave out
// Groups are left out one by one; of more than these, several at a time.
inline constexpr std::size_t kMostFolds = 64;

class Learner {
 public:
  // `samples` must outlive it.
  explicit Learner(const Samples& samples);

  // Of all rows.
  Heuristic Learn() const { return LearnFrom(std::vector<bool>(samples_.rows.size(), true)); }
  // Each row answered by a tree that has seen no row of its group (its shape without M).
  Score LeaveOut() const;

 private:
  Heuristic LearnFrom(const std::vector<bool>& taken) const;

  const Samples& samples_;
  std::vector<double> weights_;
  Binned binned_;
};

// Error too_few_rows, with the count that is needed.
core::Status CheckEnough(const Samples& samples);

}  // namespace tunehub::analysis
