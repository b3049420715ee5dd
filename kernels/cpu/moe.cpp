#include "kernels/cpu/moe.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tunehub::kernels::cpu {
namespace {

float Activated(Activation activation, float x) {
  if (activation == Activation::kSilu) return x / (1 + std::exp(-x));
  return 0.5F * x * (1 + std::erf(x * 0.70710678F));
}

// Per-token quantisation: the largest magnitude becomes 448.
constexpr float kE4m3Max = 448;

void Quantise(const float* values, int count, std::uint8_t* out, float& scale) {
  float largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
  scale = largest > 0 ? largest / kE4m3Max : 1;
  for (int i = 0; i < count; ++i) out[i] = ToE4m3(values[i] / scale);
}

}  // namespace

void MoeRunner::Sort(const MoeCall& call) {
  const auto& moe = call.problem->moe;
  const auto& experts = call.routing->experts;
  first_row_of_expert_.assign(U(moe.experts) + 1, 0);
  for (const int expert : experts) ++first_row_of_expert_[U(expert) + 1];
  for (std::size_t e = 1; e < first_row_of_expert_.size(); ++e) {
    first_row_of_expert_[e] += first_row_of_expert_[e - 1];
  }
  std::vector<int> next(first_row_of_expert_.begin(), first_row_of_expert_.end() - 1);
  token_of_row_.resize(experts.size());
  row_of_slot_.resize(experts.size());
  weight_of_row_.resize(experts.size());
  for (std::size_t slot = 0; slot < experts.size(); ++slot) {
    const int row = next[U(experts[slot])]++;
    token_of_row_[U(row)] = static_cast<int>(slot) / moe.topk;
    weight_of_row_[U(row)] = call.routing->weights[slot];
    row_of_slot_[slot] = row;
  }
}

void MoeRunner::Gather(const MoeCall& call, int thread, int threads) {
  const std::size_t bytes = BytesOf(call.problem->a, U(call.problem->moe.model_dim));
  const Range mine = PartOf(static_cast<long>(token_of_row_.size()), thread, threads);
  for (int row = mine.begin; row < mine.end; ++row) {
    const std::size_t token = U(token_of_row_[U(row)]);
    std::memcpy(rows_.data() + U(row) * bytes,
                static_cast<const std::byte*>(call.x) + token * bytes, bytes);
    if (call.x_scale != nullptr) row_scales_.as<float>()[row] = call.x_scale[token];
  }
}

void MoeRunner::Activate(const MoeCall& call, int thread, int threads) {
  const auto& moe = call.problem->moe;
  const int inter = moe.inter_dim;
  const Range mine = PartOf(static_cast<long>(token_of_row_.size()), thread, threads);
  std::vector<float> hidden(U(inter));
  for (int row = mine.begin; row < mine.end; ++row) {
    const float* const gate = first_sums_.as<float>() + U(row) * U(2 * inter);
    const float* const up = gate + inter;
    const float weight = moe.weight_in_first_stage ? weight_of_row_[U(row)] : 1;
    for (int i = 0; i < inter; ++i) {
      hidden[U(i)] = Activated(moe.activation, gate[i] * weight) * (up[i] * weight);
    }
    if (call.problem->a == Format::kE4m3) {
      Quantise(hidden.data(), inter, rows_.as<std::uint8_t>() + U(row) * U(inter),
               row_scales_.as<float>()[row]);
    } else {
      auto* const out = rows_.as<std::uint16_t>() + U(row) * U(inter);
      std::transform(hidden.begin(), hidden.end(), out, ToBf16);
    }
  }
}

void MoeRunner::Combine(const MoeCall& call, int thread, int threads) {
  const auto& moe = call.problem->moe;
  const Range mine = PartOf(moe.tokens, thread, threads);
  std::vector<float> sum(U(moe.model_dim));
  for (int token = mine.begin; token < mine.end; ++token) {
    std::fill(sum.begin(), sum.end(), 0.0F);
    for (int slot = token * moe.topk; slot < (token + 1) * moe.topk; ++slot) {
      const std::size_t row = U(row_of_slot_[U(slot)]);
      const float weight = moe.weight_in_first_stage ? 1 : weight_of_row_[row];
      const float* const from = second_sums_.as<float>() + row * U(moe.model_dim);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * from[i];
    }
    std::transform(sum.begin(), sum.end(), call.out + U(token) * U(moe.model_dim), ToBf16);
  }
}

void MoeRunner::RunStage(const MoeCall& call, bool first, const Config& config, GemmRunner& gemm) {
  const auto& moe = call.problem->moe;
  GemmCall stage;
  stage.isa = call.isa;
  stage.a = call.problem->a;
  stage.out = Format::kF32;
  stage.scaling = call.problem->scaling;
  stage.n = first ? 2 * moe.inter_dim : moe.model_dim;
  stage.k = first ? moe.model_dim : moe.inter_dim;
  Buffer& sums = first ? first_sums_ : second_sums_;
  for (int expert = 0; expert < moe.experts; ++expert) {
    const int begin = first_row_of_expert_[U(expert)], end = first_row_of_expert_[U(expert) + 1];
    if (begin == end) continue;
    stage.m = end - begin;
    const std::byte* const scale =
        stage.scaling == Scaling::kNone ? nullptr : row_scales_.data() + U(begin) * 4;
    stage.batch = {{rows_.data() + U(begin) * BytesOf(stage.a, U(stage.k)), scale,
                    &(first ? *call.gate_up : *call.down)[U(expert)],
                    sums.data() + U(begin) * U(stage.n) * 4}};
    gemm.Run(stage, config, 0);
  }
}

void MoeRunner::Run(const MoeCall& call, const Config& config, GemmRunner& gemm) {
  const auto& moe = call.problem->moe;
  Sort(call);
  const std::size_t rows = token_of_row_.size();
  rows_.Reserve(rows * BytesOf(call.problem->a, U(std::max(moe.model_dim, moe.inter_dim))));
  row_scales_.Reserve(rows * 4);
  first_sums_.Reserve(rows * U(2 * moe.inter_dim) * 4);
  second_sums_.Reserve(rows * U(moe.model_dim) * 4);
  ThreadPool& pool = gemm.Pool(config.threads);
  const auto on_all = [&](void (MoeRunner::*step)(const MoeCall&, int, int)) {
    pool.Run([&](int thread) { (this->*step)(call, thread, config.threads); });
  };
  on_all(&MoeRunner::Gather);
  RunStage(call, true, config, gemm);
  on_all(&MoeRunner::Activate);
  RunStage(call, false, config, gemm);
  on_all(&MoeRunner::Combine);
}

}  // namespace tunehub::kernels::cpu
