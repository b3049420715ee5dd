// The output of a problem in float64: slow, simple code, which shares only the scalar decoders of
// kernels/format.h with the kernels.
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

// An element is wrong where |a - b| > kAbsolute + kRelative * |b|: the tolerances of AITER's tuners
// (checkAllclose with rtol and atol of 1e-2).
inline constexpr double kAbsoluteTolerance = 1e-2;
inline constexpr double kRelativeTolerance = 1e-2;
// A relative Frobenius error above this is wrong whatever the share of wrong elements: bf16 output
// of correct sums stays below 0.003.
inline constexpr double kFrobeniusLimit = 1e-2;

struct Check {
  double err_ratio = 1.0;  // share of wrong elements, 0..1
  double frobenius = 1.0;  // |a - b|_F / |b|_F
  double max_delta = 0.0;  // the largest |a - b|

  // `limit`: the largest err_ratio that counts as correct.
  bool ok(double limit) const { return err_ratio <= limit && frobenius <= kFrobeniusLimit; }
};

// Both have one size, above zero. A NaN of the output where the reference has a number makes all
// three figures those of a failure: 1.0, infinity, infinity.
Check Compare(std::span<const float> output, std::span<const double> reference);

// The values of these rows of an output (of all batches behind one another). If any element of the
// whole output is NaN, the first value is NaN: an element that no run wrote is wrong in every row,
// even in one without a reference.
std::vector<float> ValuesOfRows(const Problem& problem, const Buffer& output,
                                const std::vector<std::int64_t>& rows);

struct Reference {
  std::vector<std::int64_t> rows;  // of the output, all batches behind one another; ascending
  std::vector<double> values;      // rows.size() x n
};

// All rows if that costs at most `work` multiply-adds; else the first, the last and random rows: as
// many as `work` allows, at least four.
Reference MakeReference(const Problem& problem, const Operands& operands, std::uint64_t work,
                        std::uint64_t seed, int threads);

// Matrices behind one another, each of rows x columns, row-major, with their scales.
struct ScaledMatrices {
  Format format;
  Scaling scaling;
  bool weights;  // W, whose kBlock128 scales cover 128 rows too
  const Buffer& elements;
  const Buffer& scales;
  std::int64_t rows, columns;

  std::vector<double> Row(std::int64_t matrix, std::int64_t row) const;
};

double Dot(const std::vector<double>& a, const std::vector<double>& b);

// Calls work(begin, end) for parts of 0..count, each on a thread of its own.
template <typename Work>
void InParallel(std::int64_t count, int threads, const Work& work) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back(work, count * i / threads, count * (i + 1) / threads);
  }
  work(0, count / threads);
  for (auto& other : others) other.join();
}

// Fills in `values` for the `rows` of a fused mixture of experts.
void ComputeMoeReference(const Problem& problem, const Operands& operands, int threads,
                         Reference& reference);

}  // namespace tunehub::kernels
