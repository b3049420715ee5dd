// Computes the output of a problem in float64, by slow, simple code. This code shares only the
// scalar decoders of kernels/format.h with the kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/operands.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// An element is wrong if |a - b| > kAbsolute + kRelative * |b|. AITER's tuners use the same
// tolerances (checkAllclose with rtol and atol of 1e-2).
inline constexpr double kAbsoluteTolerance = 1e-2;
inline constexpr double kRelativeTolerance = 1e-2;
// An output above this relative Frobenius error is wrong, even if few elements are wrong. Correct
// sums in bf16 stay below 0.003.
inline constexpr double kFrobeniusLimit = 1e-2;

struct Check {
  double err_ratio = 1.0;  // share of wrong elements, 0..1
  double frobenius = 1.0;  // |a - b|_F / |b|_F
  double max_delta = 0.0;  // the largest |a - b|

  // `limit`: the largest correct err_ratio.
  bool ok(double limit) const { return err_ratio <= limit && frobenius <= kFrobeniusLimit; }
};

// Precondition: both have the same size, above zero. If the output has a NaN where the reference
// has a number, returns a failure: {1.0, infinity, infinity}.
Check Compare(std::span<const float> output, std::span<const double> reference);

// Returns the values of these rows of an output (all batches, one after another). If any element of
// the whole output is NaN, the first value is NaN. So one element that the kernel did not write
// makes the check fail, even outside the reference's rows.
std::vector<float> ValuesOfRows(const Problem& problem, const Buffer& output,
                                const std::vector<std::int64_t>& rows);

struct Reference {
  std::vector<std::int64_t> rows;  // rows of the output, batches one after another; ascending
  std::vector<double> values;      // rows.size() x n
};

// Computes all rows if they cost at most `work` multiply-adds. Otherwise computes the first, the
// last and random rows: as many as `work` allows, but at least four.
Reference MakeReference(const Problem& problem, const Operands& operands, std::uint64_t work,
                        std::uint64_t seed, int threads);

// Matrices one after another, each of rows x columns, row-major, with scales.
struct ScaledMatrices {
  Format format;
  Scaling scaling;
  bool weights;  // W: its kBlock128 scales also cover 128 rows
  const Buffer& elements;
  const Buffer& scales;
  std::int64_t rows, columns;

  std::vector<double> Row(std::int64_t matrix, std::int64_t row) const;
};

double Dot(const std::vector<double>& a, const std::vector<double>& b);

// Divides 0..count into parts. Calls work(begin, end) for each part on its own thread.
template <typename Work>
void InParallel(std::int64_t count, int threads, const Work& work) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back(work, count * i / threads, count * (i + 1) / threads);
  }
  work(0, count / threads);
  for (auto& other : others) other.join();
}

// Computes `values` for the `rows` of a fused mixture of experts.
void ComputeMoeReference(const Problem& problem, const Operands& operands, int threads,
                         Reference& reference);

}  // namespace tunehub::kernels
