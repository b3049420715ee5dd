// Means of ratios, and how numbers are written.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tunehub::analysis {

// Preconditions: not empty, all above zero.
inline double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// The middle one, or the mean of the middle two. Precondition: not empty.
inline double Median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// To four decimals, as answers have times, ratios and shares.
inline double Rounded(double value) {
  constexpr double kDecimals = 1e4;
  return std::round(value * kDecimals) / kDecimals;
}

}  // namespace tunehub::analysis
