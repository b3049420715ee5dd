#include "kernels/cpu/input_set.h"

#include <utility>

#include "kernels/buffer.h"

namespace tunehub::kernels::cpu {
namespace {

// `count` matrices of n x k that lie behind one another.
std::vector<PackedWeights> PackAll(const Problem& problem, Isa isa, int count, int n, int k,
                                   const Buffer& w, const Buffer& scale) {
  const std::size_t matrix = BytesOf(problem.w, U(n) * U(k));
  const std::size_t scales = ScaleCount(problem.scaling, true, n, k) * ScaleBytes(problem.scaling);
  std::vector<PackedWeights> packed;
  for (std::size_t i = 0; i < U(count); ++i) {
    packed.emplace_back(isa, problem.w, problem.scaling, n, k,
                        RawWeights{w.data() + i * matrix, scale.data() + i * scales});
  }
  return packed;
}

std::vector<PackedWeights> CopyOf(const std::vector<PackedWeights>& from) {
  std::vector<PackedWeights> copy;
  for (const auto& weights : from) copy.push_back(weights.Copy());
  return copy;
}

}  // namespace

InputSet::InputSet(const Problem& problem, Isa isa, Operands operands) {
  if (problem.is_moe()) {
    const auto& moe = problem.moe;
    w_ = PackAll(problem, isa, moe.experts, 2 * moe.inter_dim, moe.model_dim, operands.w,
                 operands.w_scale);
    down_ = PackAll(problem, isa, moe.experts, moe.model_dim, moe.inter_dim, operands.down,
                    operands.down_scale);
    routing_ = std::move(operands.routing);
  } else {
    w_ = PackAll(problem, isa, problem.batch, problem.n, problem.k, operands.w, operands.w_scale);
  }
  a_ = std::move(operands.a);
  a_scale_ = std::move(operands.a_scale);
}

InputSet InputSet::Copy() const {
  InputSet copy;
  copy.a_ = a_.Copy();
  copy.a_scale_ = a_scale_.Copy();
  copy.routing_ = routing_;
  copy.w_ = CopyOf(w_);
  copy.down_ = CopyOf(down_);
  return copy;
}

std::size_t InputSet::bytes() const {
  std::size_t bytes = a_.size() + a_scale_.size();
  for (const auto& weights : w_) bytes += weights.bytes();
  for (const auto& weights : down_) bytes += weights.bytes();
  return bytes;
}

void InputSet::Run(const Problem& problem, Isa isa, const Config& config, int split_k,
                   Runners& runners, void* out) const {
  if (problem.is_moe()) return RunMoe(problem, isa, config, runners, out);
  GemmCall call;
  call.isa = isa;
  call.a = problem.a;
  call.out = problem.out;
  call.scaling = problem.scaling;
  call.m = problem.m;
  call.n = problem.n;
  call.k = problem.k;
  const std::size_t a_bytes = BytesOf(problem.a, U(problem.m) * U(problem.k));
  const std::size_t scale_bytes =
      ScaleCount(problem.scaling, false, problem.m, problem.k) * ScaleBytes(problem.scaling);
  const std::size_t out_bytes = BytesOf(problem.out, U(problem.m) * U(problem.n));
  for (std::size_t i = 0; i < w_.size(); ++i) {
    call.batch.push_back({a_.data() + i * a_bytes, a_scale_.data() + i * scale_bytes, &w_[i],
                          static_cast<std::byte*>(out) + i * out_bytes});
  }
  runners.gemm.Run(call, config, split_k);
}

void InputSet::RunMoe(const Problem& problem, Isa isa, const Config& config, Runners& runners,
                      void* out) const {
  MoeCall call;
  call.isa = isa;
  call.problem = &problem;
  call.x = a_.data();
  call.x_scale = a_scale_.as<float>();
  call.routing = &routing_;
  call.gate_up = &w_;
  call.down = &down_;
  call.out = static_cast<std::uint16_t*>(out);
  runners.moe.Run(call, config, runners.gemm);
}

}  // namespace tunehub::kernels::cpu
