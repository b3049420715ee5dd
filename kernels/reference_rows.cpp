#include "kernels/reference_rows.h"

#include <array>

#include "kernels/sizes.h"

namespace tunehub::kernels {
namespace {

// Decoding by arithmetic costs more than the sum itself.
const std::array<float, 256>& E4m3Values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> table;
    for (unsigned code = 0; code < 256; ++code)
      table[code] = FromE4m3(static_cast<std::uint8_t>(code));
    return table;
  }();
  return values;
}

// The value of element `index` of a matrix, without its scale.
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

// The scale of the element in `row` and `column` of matrix number `matrix`.
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

}  // namespace tunehub::kernels
