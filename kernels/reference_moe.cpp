#include <algorithm>
#include <cmath>

#include "kernels/reference_rows.h"
#include "kernels/sizes.h"

namespace tunehub::kernels {
namespace {

double Activated(Activation activation, double x) {
  if (activation == Activation::kSilu) return x / (1 + std::exp(-x));
  return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

// What the second stage reads: float8 activations are quantised again, per token, which is part of
// what the operation means; bf16 ones are rounded, which is not.
void QuantiseAgain(const Problem& problem, std::vector<double>& hidden) {
  if (problem.a != Format::kE4m3) return;
  double largest = 0;
  for (const double value : hidden) largest = std::max(largest, std::fabs(value));
  const double scale = largest > 0 ? largest / 448 : 1;
  for (double& value : hidden) {
    value = FromE4m3(ToE4m3(static_cast<float>(value / scale))) * scale;
  }
}

// One token by one expert: what `down` makes of it, not yet weighted.
std::vector<double> ThroughExpert(const Problem& problem, const Operands& operands,
                                  const std::vector<double>& x, std::int64_t expert,
                                  double first_stage_weight) {
  const std::int64_t model_dim = problem.moe.model_dim, inter_dim = problem.moe.inter_dim;
  const ScaledMatrices gate_up = {problem.w,        problem.scaling, true,     operands.w,
                                  operands.w_scale, 2 * inter_dim,   model_dim};
  const ScaledMatrices down = {problem.w,           problem.scaling, true,     operands.down,
                               operands.down_scale, model_dim,       inter_dim};
  const auto first_stage = [&](std::int64_t row) {
    return first_stage_weight * Dot(x, gate_up.Row(expert, row));
  };
  std::vector<double> hidden, out;
  for (std::int64_t i = 0; i < inter_dim; ++i) {
    hidden.push_back(Activated(problem.moe.activation, first_stage(i)) *
                     first_stage(inter_dim + i));
  }
  QuantiseAgain(problem, hidden);
  for (std::int64_t i = 0; i < model_dim; ++i) out.push_back(Dot(hidden, down.Row(expert, i)));
  return out;
}

void ComputeToken(const Problem& problem, const Operands& operands, std::int64_t token,
                  double* values) {
  const auto& moe = problem.moe;
  const ScaledMatrices inputs = {problem.a,        problem.scaling, false,        operands.a,
                                 operands.a_scale, moe.tokens,      moe.model_dim};
  const auto x = inputs.Row(0, token);
  const bool early = moe.weight_in_first_stage;
  for (std::int64_t slot = token * moe.topk; slot < (token + 1) * moe.topk; ++slot) {
    const double weight = operands.routing.weights[U(slot)];
    const auto out = ThroughExpert(problem, operands, x, operands.routing.experts[U(slot)],
                                   early ? weight : 1.0);
    for (std::size_t i = 0; i < out.size(); ++i) values[i] += (early ? 1.0 : weight) * out[i];
  }
}

}  // namespace

void ComputeMoeReference(const Problem& problem, const Operands& operands, int threads,
                         Reference& reference) {
  InParallel(static_cast<std::int64_t>(reference.rows.size()), threads,
             [&](std::int64_t first, std::int64_t last) {
               for (std::int64_t i = first; i < last; ++i) {
                 ComputeToken(problem, operands, reference.rows[U(i)],
                              reference.values.data() + U(i) * U(problem.moe.model_dim));
               }
             });
}

}  // namespace tunehub::kernels
