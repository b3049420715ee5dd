#include "core/analysis/weighted_share.h"

#include <vector>

namespace tunehub::analysis {
namespace {

// A sum of shares, and of their weights.
struct Mean {
  double sum = 0, weights = 0;

  void Add(double share, double weight) {
    sum += share * weight;
    weights += weight;
  }
};

std::vector<double> DemandByBucket(const Coverage& coverage) {
  std::vector<double> demand(coverage.buckets.size());
  for (const Cell& cell : coverage.cells) {
    demand[cell.bucket] += static_cast<double>(cell.counts.demand);
  }
  return demand;
}

// Weights by bucket; of a pair all of whose buckets weigh nothing, they weigh alike.
WeightedShare ShareOf(const Coverage& coverage, const PairLayers& layers,
                      const std::vector<double>& weights) {
  std::vector<Mean> plain(coverage.pairs.size()), weighted(coverage.pairs.size());
  for (const Cell& cell : coverage.cells) {
    const double share =
        static_cast<double>(cell.counts.covered()) / static_cast<double>(cell.counts.shapes());
    plain[cell.pair].Add(share, 1);
    weighted[cell.pair].Add(share, weights[cell.bucket]);
  }
  WeightedShare out;
  for (std::size_t i = 0; i < coverage.pairs.size(); ++i) {
    const auto layer = layers.find(coverage.pairs[i]);
    if (layer == layers.end()) continue;
    const Mean& mean = weighted[i].weights > 0 ? weighted[i] : plain[i];
    out.flops += layer->second.flops;
    out.covered += layer->second.flops * mean.sum / mean.weights;
  }
  return out;
}

}  // namespace

WeightedShare ShareByFlops(const Coverage& coverage, const PairLayers& layers) {
  return ShareOf(coverage, layers, DemandByBucket(coverage));
}

WeightedShare PlainShareByFlops(const Coverage& coverage, const PairLayers& layers) {
  return ShareOf(coverage, layers, std::vector<double>(coverage.buckets.size()));
}

}  // namespace tunehub::analysis
