#include "kernels/reference.h"

#include <algorithm>
#include <random>
#include <set>

#include "kernels/reference_rows.h"
#include "kernels/sizes.h"

namespace tunehub::kernels {
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
  // Each thread takes some columns; a row of W is decoded once for all rows of its batch.
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

}  // namespace tunehub::kernels
