#include "core/analysis/binned.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/analysis/m_bucket.h"
#include "core/analysis/score.h"

namespace tunehub::analysis {
namespace {

constexpr std::size_t kMostBins = 256;  // one byte

// A number from `low` up to below `high`, of as few digits as will do, because people read it.
double Between(double low, double high) {
  constexpr int kFirst = -12, kLast = 6;  // powers of ten
  for (int decimals = kFirst; decimals <= kLast; ++decimals) {
    const double scale = std::pow(10.0, std::abs(decimals));
    const double middle = low + (high - low) / 2;
    const double rounded =
        decimals < 0 ? std::round(middle / scale) * scale : std::round(middle * scale) / scale;
    if (rounded >= low && rounded < high) return rounded;
  }
  return low;
}

}  // namespace

std::vector<double> BalancedWeights(const Samples& samples, const std::vector<bool>& taken) {
  std::array<std::size_t, kBuckets> rows{};
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    if (taken[i]) ++rows[BucketOf(samples.rows[i].m)];
  }
  std::vector<double> weights(samples.rows.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (taken[i]) weights[i] = 1 / static_cast<double>(rows[BucketOf(samples.rows[i].m)]);
  }
  return weights;
}

Binned::Binned(const Samples& samples, const std::vector<double>& weights) {
  const auto& rows = samples.rows;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint32_t> order(rows.size());
  for (std::size_t f = 0; f < samples.features.names().size(); ++f) {
    const auto number = [&](std::uint32_t row) { return rows[row].numbers[f]; };
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return number(a) < number(b); });
    std::size_t values = order.empty() ? 0 : 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (number(order[i]) != number(order[i - 1])) ++values;
    }
    Feature feature;
    feature.bins.resize(rows.size());
    double seen = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool next_value = i > 0 && number(order[i]) != number(order[i - 1]);
      const double full =
          total * static_cast<double>(feature.upper.size() + 1) / static_cast<double>(kMostBins);
      if (next_value && (values <= kMostBins || seen >= full) &&
          feature.upper.size() + 1 < kMostBins) {
        feature.upper.push_back(Between(number(order[i - 1]), number(order[i])));
      }
      feature.bins[order[i]] = static_cast<std::uint8_t>(feature.upper.size());
      seen += weights[order[i]];
    }
    feature.upper.push_back(order.empty() ? 0 : number(order.back()));
    features_.push_back(std::move(feature));
  }
}

}  // namespace tunehub::analysis
