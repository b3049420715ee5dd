// One set of a problem's inputs in this build's layouts, and how a config runs on it.
#pragma once

#include <vector>

#include "kernels/config.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/moe.h"
#include "kernels/operands.h"

namespace tunehub::kernels::cpu {

// What runs need besides inputs: threads and working memory.
struct Runners {
  GemmRunner gemm;
  MoeRunner moe;
};

class InputSet {
 public:
  InputSet(const Problem& problem, Isa isa, Operands operands);
  // Memory of its own with the same content.
  InputSet Copy() const;

  std::size_t bytes() const;
  // Writes the whole output, all batches. `problem` and `isa` as at construction.
  void Run(const Problem& problem, Isa isa, const Config& config, int split_k, Runners& runners,
           void* out) const;

 private:
  InputSet() = default;
  void RunMoe(const Problem& problem, Isa isa, const Config& config, Runners& runners,
              void* out) const;

  Buffer a_, a_scale_;
  Routing routing_;
  std::vector<PackedWeights> w_;     // by batch, or by expert: gate and up
  std::vector<PackedWeights> down_;  // by expert
};

}  // namespace tunehub::kernels::cpu
