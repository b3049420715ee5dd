// Dimensions are int, as in the tables; memory is counted in std::size_t. Between the two:
#pragma once

#include <cstddef>
#include <cstdint>

namespace tunehub::kernels {

// Precondition: value >= 0.
constexpr std::size_t U(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

constexpr int CeilDivide(int value, int by) {
  return (value + by - 1) / by;
}

}  // namespace tunehub::kernels
