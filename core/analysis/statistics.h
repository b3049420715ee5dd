// Means of ratios.
#pragma once

#include <vector>

namespace tunehub::analysis {

// Preconditions: not empty, all above zero.
double GeometricMean(const std::vector<double>& values);
// The middle one, or the mean of the middle two. Precondition: not empty.
double Median(std::vector<double> values);

}  // namespace tunehub::analysis
