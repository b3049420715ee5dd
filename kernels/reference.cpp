#include "kernels/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace tunehub::kernels {

Check Compare(std::span<const float> output, std::span<const double> reference) {
  std::size_t wrong = 0;
  double delta_squares = 0, reference_squares = 0, max_delta = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double expected = reference[i];
    const double delta = std::fabs(static_cast<double>(output[i]) - expected);
    if (!std::isfinite(delta)) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return {1.0, kInfinity, kInfinity};
    }
    if (delta > kAbsoluteTolerance + kRelativeTolerance * std::fabs(expected)) ++wrong;
    delta_squares += delta * delta;
    reference_squares += expected * expected;
    max_delta = std::max(max_delta, delta);
  }
  Check check;
  check.err_ratio = static_cast<double>(wrong) / static_cast<double>(reference.size());
  check.frobenius = reference_squares > 0 ? std::sqrt(delta_squares / reference_squares)
                                          : (delta_squares > 0 ? 1.0 : 0.0);
  check.max_delta = max_delta;
  return check;
}

namespace {

// Has no branch per element, because an output has up to hundreds of millions of elements.
bool HasNan(const std::uint16_t* bf16, std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= (bf16[i] & 0x7fffU) > 0x7f80U ? 1U : 0U;
  return found != 0;
}

bool HasNan(const float* values, std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= values[i] != values[i] ? 1U : 0U;
  return found != 0;
}

// Uses a table, because decoding by arithmetic costs more than the sum itself.
const std::array<float, 256>& E4m3Values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> table;
    for (unsigned code = 0; code < 256; ++code)
      table[code] = FromE4m3(static_cast<std::uint8_t>(code));
    return table;
  }();
  return values;
}

// The value of element `index` of a matrix, without scale.
double Element(Format format, const Buffer& matrix, std::size_t index) {
  switch (format) {
    case Format::kInt8:
      return matrix.as<std::int8_t>()[index];
    case Format::kE4m3:
      return E4m3Values()[matrix.as<std::uint8_t>()[index]];
    case Format::kE4m3Fnuz:
      return FromE4m3Fnuz(matrix.as<std::uint8_t>()[index]);
    case Format::kE2m1: {
      const auto byte = matrix.as<std::uint8_t>()[index / 2];
      return FromE2m1(index % 2 == 0 ? byte & 15 : byte >> 4);
    }
    case Format::kBf16:
      return FromBf16(matrix.as<std::uint16_t>()[index]);
    case Format::kF32:
      break;
  }
  return matrix.as<float>()[index];
}

// The scale of the element at `row` and `column` of matrix number `matrix`.
double Scale(const ScaledMatrices& m, std::int64_t matrix, std::int64_t row, std::int64_t column) {
  const std::int64_t blocks128 = (m.columns + 127) / 128, blocks32 = (m.columns + 31) / 32;
  switch (m.scaling) {
    case Scaling::kNone:
      return 1;
    case Scaling::kRowColumn:
      return m.scales.as<float>()[U(matrix * m.rows + row)];
    case Scaling::kBlock128: {
      const std::int64_t scale_rows = m.weights ? (m.rows + 127) / 128 : m.rows;
      const std::int64_t scale_row = m.weights ? row / 128 : row;
      return m.scales.as<float>()[U((matrix * scale_rows + scale_row) * blocks128 + column / 128)];
    }
    case Scaling::kMx32:
      return FromE8m0(
          m.scales.as<std::uint8_t>()[U((matrix * m.rows + row) * blocks32 + column / 32)]);
  }
  return 1;
}

}  // namespace

std::vector<float> ValuesOfRows(const Problem& problem, const Buffer& output,
                                const std::vector<std::int64_t>& rows) {
  const std::size_t n = U(problem.n);
  const std::size_t count = output.size() / BytesOf(problem.out, 1);
  const bool is_float = problem.out == Format::kF32;
  std::vector<float> values;
  values.reserve(rows.size() * n);
  for (const std::int64_t row : rows) {
    for (std::size_t i = U(row) * n; i < (U(row) + 1) * n; ++i) {
      values.push_back(is_float ? output.as<float>()[i] : FromBf16(output.as<std::uint16_t>()[i]));
    }
  }
  const bool unwritten =
      is_float ? HasNan(output.as<float>(), count) : HasNan(output.as<std::uint16_t>(), count);
  if (unwritten) values.front() = std::numeric_limits<float>::quiet_NaN();
  return values;
}

std::vector<double> ScaledMatrices::Row(std::int64_t matrix, std::int64_t row) const {
  std::vector<double> values(U(columns));
  for (std::int64_t column = 0; column < columns; ++column) {
    values[U(column)] = Element(format, elements, U((matrix * rows + row) * columns + column)) *
                        Scale(*this, matrix, row, column);
  }
  return values;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

namespace {

constexpr std::int64_t kFewestRows = 4;

double WorkPerRow(const Problem& problem) {
  const double matrix = static_cast<double>(problem.n) * problem.k;
  return problem.is_moe() ? 3 * matrix * problem.moe.topk : matrix;
}

std::vector<std::int64_t> ChooseRows(const Problem& problem, std::uint64_t work,
                                     std::uint64_t seed) {
  const std::int64_t all = std::int64_t{problem.batch} * problem.m;
  const double affordable = static_cast<double>(work) / WorkPerRow(problem);
  std::set<std::int64_t> rows;
  if (affordable >= static_cast<double>(all) || all <= kFewestRows) {
    for (std::int64_t row = 0; row < all; ++row) rows.insert(rows.end(), row);
  } else {
    rows = {0, all - 1};
    const auto wanted = std::max(static_cast<std::int64_t>(affordable), kFewestRows);
    std::mt19937_64 engine(seed);
    std::uniform_int_distribution<std::int64_t> any(0, all - 1);
    while (static_cast<std::int64_t>(rows.size()) < wanted) rows.insert(any(engine));
  }
  return {rows.begin(), rows.end()};
}

void ComputeGemm(const Problem& problem, const Operands& operands, int threads,
                 Reference& reference) {
  const std::int64_t m = problem.m, n = problem.n, k = problem.k;
  const ScaledMatrices all_a = {problem.a, problem.scaling, false, operands.a, operands.a_scale, m,
                                k};
  const ScaledMatrices all_w = {problem.w, problem.scaling, true, operands.w, operands.w_scale, n,
                                k};
  std::vector<std::vector<double>> a;
  a.reserve(reference.rows.size());
  for (const auto row : reference.rows) a.push_back(all_a.Row(row / m, row % m));
  // Each thread computes some columns. It decodes a row of W once for all rows of the batch.
  InParallel(n, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t matrix = 0; matrix < problem.batch; ++matrix) {
      for (std::int64_t column = first; column < last; ++column) {
        const auto w = all_w.Row(matrix, column);
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (reference.rows[i] / m != matrix) continue;
          reference.values[i * U(n) + U(column)] = Dot(a[i], w);
        }
      }
    }
  });
}

}  // namespace

Reference MakeReference(const Problem& problem, const Operands& operands, std::uint64_t work,
                        std::uint64_t seed, int threads) {
  Reference reference;
  reference.rows = ChooseRows(problem, work, seed);
  reference.values.resize(reference.rows.size() * U(problem.n));
  if (problem.is_moe()) {
    ComputeMoeReference(problem, operands, threads, reference);
  } else {
    ComputeGemm(problem, operands, threads, reference);
  }
  return reference;
}

namespace {

double Activated(Activation activation, double x) {
  if (activation == Activation::kSilu) return x / (1 + std::exp(-x));
  return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

// Prepares the input of the second stage. Quantises fp8 activations again, per token, as the
// operation does. Leaves bf16 activations: kernels round them, but the operation does not require
// it.
void QuantiseAgain(const Problem& problem, std::vector<double>& hidden) {
  if (problem.a != Format::kE4m3) return;
  double largest = 0;
  for (const double value : hidden) largest = std::max(largest, std::fabs(value));
  const double scale = largest > 0 ? largest / 448 : 1;
  for (double& value : hidden) {
    value = FromE4m3(ToE4m3(static_cast<float>(value / scale))) * scale;
  }
}

// Sends one token through one expert. Returns the output of `down` before weighting.
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
