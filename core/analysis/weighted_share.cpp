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

}  // namespace

WeightedShare ShareByFlops(const Coverage& coverage, const PairLayers& layers) {
  const std::vector<double> demand = DemandByBucket(coverage);
  std::vector<Mean> plain(coverage.pairs.size()), weighted(coverage.pairs.size());
  for (const Cell& cell : coverage.cells) {
    const double share =
        static_cast<double>(cell.counts.covered()) / static_cast<double>(cell.counts.shapes());
    plain[cell.pair].Add(share, 1);
    weighted[cell.pair].Add(share, demand[cell.bucket]);
  }
  WeightedShare out;
  for (std::size_t i = 0; i < coverage.pairs.size(); ++i) {
    const auto layer = layers.find(coverage.pairs[i]);
    if (layer == layers.end()) continue;
    // A pair that has no shape where anything was missed weighs its buckets alike.
    const Mean& mean = weighted[i].weights > 0 ? weighted[i] : plain[i];
    out.flops += layer->second.flops;
    out.covered += layer->second.flops * mean.sum / mean.weights;
  }
  return out;
}

}  // namespace tunehub::analysis
