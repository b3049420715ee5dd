// Learns a heuristic from tuned rows: a decision tree that people can read. Deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/heuristic.h"
#include "core/analysis/score.h"
#include "core/base/result.h"

namespace tunehub::analysis {

// Returns a weight for each row. Every bucket of M has the same total weight, and its rows share
// this weight equally. Otherwise the many rows with large M, where one kernel wins, would hide the
// rows with small M. A row outside `taken` has weight 0.
std::vector<double> BalancedWeights(const Samples& samples, const std::vector<bool>& taken);

// Samples with each number replaced by one of at most 256 bins. With bins, one pass over a set of
// rows finds the best split of the set.
class Binned {
 public:
  // If a feature has more values than bins, each bin gets an equal share of `weights`.
  Binned(const Samples& samples, const std::vector<double>& weights);

  std::size_t features() const { return features_.size(); }
  const std::vector<std::uint8_t>& bins(std::size_t feature) const {
    return features_[feature].bins;
  }
  std::size_t bin_count(std::size_t feature) const { return features_[feature].upper.size(); }
  // The upper bound of bins 0 to `bin`. The bound is between two values that occur.
  double Threshold(std::size_t feature, std::size_t bin) const {
    return features_[feature].upper[bin];
  }

 private:
  struct Feature {
    std::vector<std::uint8_t> bins;  // per row
    std::vector<double> upper;       // per bin; the last is the largest number
  };
  std::vector<Feature> features_;
};

struct NodeSplit {
  double gain = 0;  // 0: no split
  std::size_t feature = 0, bin = 0;
};

// Returns the split into two parts with the lowest weighted Gini impurity. Each part has at least
// `fewest` rows. In a tie, the first feature wins, then the lowest bin.
NodeSplit BestSplit(const Binned& binned, const Samples& samples,
                    const std::vector<double>& weights, const std::vector<std::uint32_t>& rows,
                    std::size_t fewest);

// A decision tree during learning. The learner first grows the tree by the best splits, then prunes
// the splits that gain least.
class Tree {
 public:
  // `binned` and `samples` must outlive the tree. `weights`: one per row.
  Tree(const Binned& binned, const Samples& samples, std::vector<double> weights)
      : binned_(binned), samples_(samples), weights_(std::move(weights)) {}

  // Precondition: `rows` is not empty.
  void Grow(std::vector<std::uint32_t> rows);
  // Removes splits until `leaves` leaves remain. Also removes splits that change no answer.
  void Prune(std::size_t leaves);
  Heuristic ToHeuristic() const;

 private:
  struct Grown {
    std::vector<std::uint32_t> rows;  // empty after a split
    NodeSplit split;                  // the best split
    bool leaf = true;
    std::size_t yes = 0, no = 0;
    std::size_t choice = 0;  // the choice with the most weight
    double lost = 0;         // weight of rows with other choices
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
// A tree from fewer samples would show which shapes were tuned rather than which kernels win.
inline constexpr std::size_t kFewestSamples = 200;
inline constexpr std::size_t kFewestGroups = 2;  // cross-validation needs two
// Cross-validation leaves out one group at a time, or several if there are more groups than this.
inline constexpr std::size_t kMostFolds = 64;

class Learner {
 public:
  // `samples` must outlive the learner.
  explicit Learner(const Samples& samples);

  Heuristic Learn() const { return LearnFrom(std::vector<bool>(samples_.rows.size(), true)); }
  // Cross-validation. Each row's answer comes from a tree that was learned without the row's group
  // (its shape without M).
  Score LeaveOut() const;

 private:
  Heuristic LearnFrom(const std::vector<bool>& taken) const;

  const Samples& samples_;
  std::vector<double> weights_;
  Binned binned_;
};

// Errors: no_heuristic; too_few_rows, with the required count.
core::Status CheckEnough(const Samples& samples);

}  // namespace tunehub::analysis
