// How much of a model's work on one GPU finds a tuned row: each layer as much as its flops.
#pragma once

#include "core/analysis/coverage.h"
#include "core/analysis/pair_layers.h"

namespace tunehub::analysis {

// Sums over pairs: of several families, too, they are added up and divided.
struct WeightedShare {
  double flops = 0;    // of all pairs, per token
  double covered = 0;  // of these, what finds a tuned row

  double share() const { return flops > 0 ? covered / flops : 0; }
};

// A pair's share is the mean over its buckets of M of the share of its shapes that are covered;
// buckets weigh as much as the family's demand in them, or the same where there is none.
WeightedShare ShareByFlops(const Coverage& coverage, const PairLayers& layers);

// The same where all buckets weigh alike, whatever was missed.
WeightedShare PlainShareByFlops(const Coverage& coverage, const PairLayers& layers);

}  // namespace tunehub::analysis
