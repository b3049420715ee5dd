#include "kernels/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tunehub::kernels {

Check Compare(std::span<const float> output, std::span<const double> reference) {
  std::size_t wrong = 0;
  double delta_squares = 0, reference_squares = 0, max_delta = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double expected = reference[i];
    const double delta = std::fabs(static_cast<double>(output[i]) - expected);
    if (!std::isfinite(delta)) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return {1.0, kInfinity, kInfinity};
    }
    if (delta > kAbsoluteTolerance + kRelativeTolerance * std::fabs(expected)) ++wrong;
    delta_squares += delta * delta;
    reference_squares += expected * expected;
    max_delta = std::max(max_delta, delta);
  }
  Check check;
  check.err_ratio = static_cast<double>(wrong) / static_cast<double>(reference.size());
  check.frobenius = reference_squares > 0 ? std::sqrt(delta_squares / reference_squares)
                                          : (delta_squares > 0 ? 1.0 : 0.0);
  check.max_delta = max_delta;
  return check;
}

}  // namespace tunehub::kernels
