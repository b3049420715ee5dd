// Fused mixture of experts as two GEMMs per expert. For each expert, it gathers the expert's
// tokens, computes gate and up in one GEMM, then the activation, then down. Finally it adds the
// weighted results of each token.
#pragma once

#include <vector>

#include "kernels/buffer.h"
#include "kernels/config.h"
#include "kernels/cpu/gemm.h"
#include "kernels/operands.h"
#include "kernels/problem.h"

namespace tunehub::kernels::cpu {

struct MoeCall {
  Isa isa = Isa::kV2;
  const Problem* problem = nullptr;
  const void* x = nullptr;         // [tokens][model_dim] in Problem::a
  const float* x_scale = nullptr;  // [tokens], or null
  const Routing* routing = nullptr;
  const std::vector<PackedWeights>* gate_up = nullptr;  // per expert: 2 * inter_dim x model_dim
  const std::vector<PackedWeights>* down = nullptr;     // per expert: model_dim x inter_dim
  std::uint16_t* out = nullptr;                         // bf16 [tokens][model_dim]
};

// Working memory. It grows to the need of the largest call.
class MoeRunner {
 public:
  void Run(const MoeCall& call, const Config& config, GemmRunner& gemm);

 private:
  void Sort(const MoeCall& call);
  void Gather(const MoeCall& call, int thread, int threads);
  void Activate(const MoeCall& call, int thread, int threads);
  void Combine(const MoeCall& call, int thread, int threads);
  void RunStage(const MoeCall& call, bool first, const Config& config, GemmRunner& gemm);

  // A row is one pair of token and slot. Rows are sorted by expert.
  std::vector<int> token_of_row_, row_of_slot_, first_row_of_expert_;
  std::vector<float> weight_of_row_;
  Buffer rows_, row_scales_;         // the input of the current stage
  Buffer first_sums_, second_sums_;  // float32
};

}  // namespace tunehub::kernels::cpu
