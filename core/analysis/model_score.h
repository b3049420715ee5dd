// A score by what serving a model asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/score.h"
#include "core/shapes/model.h"

namespace tunehub::analysis {

// Models and checkpoints that ask for the same sizes at one TP are one configuration.
struct ModelTally {
  std::vector<std::string> models;
  std::int64_t tp = 1;
  std::size_t shapes = 0;  // sizes of products
  Tally tally;
};

// For each configuration (TP 1 to 16, powers of two) whose products all have rows: those rows, each
// once. Empty for a family that is no plain GEMM.
std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models);

}  // namespace tunehub::analysis
