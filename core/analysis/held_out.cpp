#include "core/analysis/held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {

void HeldOutMaker::Add(double estimate, double actual, double scale) {
  const double error = actual != 0 ? std::abs(estimate / actual - 1)
                                   : (estimate == 0 ? 0 : std::numeric_limits<double>::infinity());
  errors_.push_back(error);
  residuals_.push_back((actual - estimate) / scale);
}

HeldOut HeldOutMaker::Done() const {
  if (errors_.empty()) return {};
  return {errors_.size(), Median(errors_), Quantile(residuals_, kLow), Quantile(residuals_, kHigh)};
}

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(values.size() - 1)))];
}

}  // namespace tunehub::analysis
