// Compares an output with the reference.
#pragma once

#include <cstddef>
#include <span>

namespace tunehub::kernels {

// An element is wrong where |a - b| > kAbsolute + kRelative * |b|: the tolerances of AITER's tuners
// (checkAllclose with rtol and atol of 1e-2).
inline constexpr double kAbsoluteTolerance = 1e-2;
inline constexpr double kRelativeTolerance = 1e-2;
// A relative Frobenius error above this is wrong whatever the share of wrong elements: bf16 output
// of correct sums stays below 0.003.
inline constexpr double kFrobeniusLimit = 1e-2;

struct Check {
  double err_ratio = 1.0;  // share of wrong elements, 0..1
  double frobenius = 1.0;  // |a - b|_F / |b|_F
  double max_delta = 0.0;  // the largest |a - b|

  // `limit`: the largest err_ratio that counts as correct.
  bool ok(double limit) const { return err_ratio <= limit && frobenius <= kFrobeniusLimit; }
};

// Both of one size, above zero. An output that is not a number where the reference is one makes all
// three figures those of a failure: 1.0, infinity, infinity.
Check Compare(std::span<const float> output, std::span<const double> reference);

}  // namespace tunehub::kernels
