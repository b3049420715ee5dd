// What the references are made of: rows as float64 values, and their products.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/problem.h"
#include "kernels/reference.h"

namespace tunehub::kernels {

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
