#include "kernels/reference.h"

#include <algorithm>
#include <random>
#include <set>
#include <thread>

namespace tunehub::kernels {
namespace {

constexpr std::int64_t kFewestRows = 4;

std::size_t U(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// The value of element `index` of a matrix, without its scale.
double Element(Format format, const Buffer& matrix, std::size_t index) {
  switch (format) {
    case Format::kInt8:
      return matrix.as<std::int8_t>()[index];
    case Format::kE4m3:
      return FromE4m3(matrix.as<std::uint8_t>()[index]);
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

// The scale of an element in `row` (of the whole buffer's matrices) at `k`.
double Scale(Scaling scaling, bool of_weights, const Buffer& scales, std::int64_t matrix,
             std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t ks) {
  const std::int64_t blocks128 = (ks + 127) / 128, blocks32 = (ks + 31) / 32;
  switch (scaling) {
    case Scaling::kNone:
      return 1;
    case Scaling::kRowColumn:
      return scales.as<float>()[U(matrix * rows + row)];
    case Scaling::kBlock128: {
      const std::int64_t scale_rows = of_weights ? (rows + 127) / 128 : rows;
      const std::int64_t scale_row = of_weights ? row / 128 : row;
      return scales.as<float>()[U((matrix * scale_rows + scale_row) * blocks128 + k / 128)];
    }
    case Scaling::kMx32:
      return FromE8m0(scales.as<std::uint8_t>()[U((matrix * rows + row) * blocks32 + k / 32)]);
  }
  return 1;
}

std::vector<double> Row(Format format, Scaling scaling, bool of_weights, const Buffer& elements,
                        const Buffer& scales, std::int64_t matrix, std::int64_t row,
                        std::int64_t rows, std::int64_t ks) {
  std::vector<double> values(U(ks));
  for (std::int64_t k = 0; k < ks; ++k) {
    values[U(k)] = Element(format, elements, U((matrix * rows + row) * ks + k)) *
                   Scale(scaling, of_weights, scales, matrix, row, rows, k, ks);
  }
  return values;
}

std::vector<std::int64_t> ChooseRows(const Problem& problem, std::uint64_t work,
                                     std::uint64_t seed) {
  const std::int64_t all = std::int64_t{problem.batch} * problem.m;
  const double affordable =
      static_cast<double>(work) / (static_cast<double>(problem.n) * problem.k);
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

}  // namespace

Reference MakeReference(const Problem& problem, const Operands& operands, std::uint64_t work,
                        std::uint64_t seed, int threads) {
  Reference reference;
  reference.rows = ChooseRows(problem, work, seed);
  const std::int64_t m = problem.m, n = problem.n, k = problem.k;
  reference.values.resize(reference.rows.size() * U(n));
  std::vector<std::vector<double>> a;
  a.reserve(reference.rows.size());
  for (const auto row : reference.rows) {
    a.push_back(Row(problem.a, problem.scaling, false, operands.a, operands.a_scale, row / m,
                    row % m, m, k));
  }
  // Each thread takes some columns; a row of W is decoded once for all rows of its batch.
  const auto columns = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t matrix = 0; matrix < problem.batch; ++matrix) {
      for (std::int64_t column = first; column < last; ++column) {
        const auto w = Row(problem.w, problem.scaling, true, operands.w, operands.w_scale, matrix,
                           column, n, k);
        for (std::size_t i = 0; i < a.size(); ++i) {
          if (reference.rows[i] / m != matrix) continue;
          double sum = 0;
          for (std::size_t at = 0; at < w.size(); ++at) sum += a[i][at] * w[at];
          reference.values[i * U(n) + U(column)] = sum;
        }
      }
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back(columns, n * i / threads, n * (i + 1) / threads);
  }
  columns(0, n / threads);
  for (auto& other : others) other.join();
  return reference;
}

}  // namespace tunehub::kernels
