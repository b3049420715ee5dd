// How wrong estimates are, by what was measured: each key estimated without itself.
#pragma once

#include <cstddef>
#include <vector>

namespace tunehub::analysis {

inline constexpr double kSureError = 0.25;        // above it a range stands in place of the number
inline constexpr std::size_t kFewestKeys = 5;     // below it, too: so few say little of an error
inline constexpr double kLow = 0.1, kHigh = 0.9;  // the quantiles that make the range

struct HeldOut {
  std::size_t keys = 0;
  double error = 0;          // the median of |estimate / actual - 1|; where keys > 0
  double low = 0, high = 0;  // the quantiles of (actual - estimate) / scale

  bool is_sure() const { return keys >= kFewestKeys && error <= kSureError; }
};

class HeldOutMaker {
 public:
  // `scale`: what the range is told by, above zero: the estimated time.
  void Add(double estimate, double actual, double scale);
  HeldOut Done() const;

 private:
  std::vector<double> errors_, residuals_;
};

// The value at a share of the sorted list, by the nearest rank. Precondition: not empty.
double Quantile(std::vector<double> values, double share);

}  // namespace tunehub::analysis
