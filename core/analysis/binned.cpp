#include "core/analysis/binned.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/analysis/features.h"
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

namespace {

// What the rows of a leaf add up to on one side of a split.
struct Half {
  double weight = 0, squares = 0;  // the sum of the choices' squared weights
  std::size_t rows = 0;

  double Purity() const { return weight > 0 ? squares / weight : 0; }
};

// The rows of a leaf by bin and choice, for one feature.
struct Histogram {
  std::vector<double> weights;    // bin * choices + choice
  std::vector<std::size_t> rows;  // by bin
};

void Fill(const Binned& binned, const Samples& samples, const std::vector<double>& weights,
          const std::vector<std::uint32_t>& rows, std::size_t feature, Histogram& histogram) {
  const std::size_t choices = samples.choices.size();
  histogram.weights.assign(binned.bin_count(feature) * choices, 0);
  histogram.rows.assign(binned.bin_count(feature), 0);
  const auto& bins = binned.bins(feature);
  for (std::uint32_t row : rows) {
    histogram.weights[bins[row] * choices + samples.rows[row].choice] += weights[row];
    ++histogram.rows[bins[row]];
  }
}

// Goes through one feature's bins from the left; `all` and `whole` are the sums over all rows,
// `left` is room for those on the left.
void TryFeature(const Histogram& histogram, const std::vector<double>& all, const Half& whole,
                std::size_t feature, std::size_t fewest, std::vector<double>& left,
                NodeSplit& best) {
  const std::size_t choices = all.size();
  left.assign(choices, 0);
  Half low, high = whole;
  for (std::size_t bin = 0; bin + 1 < histogram.rows.size(); ++bin) {
    if (histogram.rows[bin] == 0) continue;
    low.rows += histogram.rows[bin];
    high.rows -= histogram.rows[bin];
    for (std::size_t c = 0; c < choices; ++c) {
      const double moved = histogram.weights[bin * choices + c];
      if (moved == 0) continue;
      const double right = all[c] - left[c];
      low.squares += moved * (2 * left[c] + moved);
      high.squares += moved * (moved - 2 * right);
      low.weight += moved;
      high.weight -= moved;
      left[c] += moved;
    }
    if (low.rows < fewest || high.rows < fewest) continue;
    const double gain = low.Purity() + high.Purity() - whole.Purity();
    if (gain > best.gain * (1 + 1e-9) + 1e-12) best = {gain, feature, bin};
  }
}

}  // namespace

NodeSplit BestSplit(const Binned& binned, const Samples& samples,
                    const std::vector<double>& weights, const std::vector<std::uint32_t>& rows,
                    std::size_t fewest) {
  std::vector<double> all(samples.choices.size()), left;
  Half whole;
  for (std::uint32_t row : rows) {
    all[samples.rows[row].choice] += weights[row];
    whole.weight += weights[row];
  }
  for (double weight : all) whole.squares += weight * weight;
  whole.rows = rows.size();
  NodeSplit best;
  Histogram histogram;
  for (std::size_t feature = 0; feature < binned.features(); ++feature) {
    Fill(binned, samples, weights, rows, feature, histogram);
    TryFeature(histogram, all, whole, feature, fewest, left, best);
  }
  return best;
}

}  // namespace tunehub::analysis
