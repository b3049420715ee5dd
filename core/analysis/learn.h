// Learns a heuristic from tuned rows: a decision tree, small enough for a person to read, the same
// for the same rows.
#pragma once

#include <cstddef>

#include "core/analysis/binned.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/samples.h"
#include "core/analysis/score.h"
#include "core/base/result.h"

namespace tunehub::analysis {

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
