#include "core/shapes/padded_m.h"

#include <array>
#include <bit>

namespace tunehub::core {
namespace {

// Rounding of the gl 0 grid: coarser as M grows.
struct Step {
  std::int64_t up_to;
  std::int64_t multiple;
};

constexpr std::array<Step, 3> kSteps = {{{256, 16}, {1024, 32}, {4096, 64}}};
constexpr std::int64_t kLastMultiple = 128;

constexpr std::int64_t kLargeM = 8192;
constexpr std::int64_t kLargeN = 4096;

constexpr std::int64_t kFirstWideTier = 32768;
constexpr std::int64_t kLastTier = 131072;

// Beyond it the next power of two would not fit.
constexpr std::int64_t kLargestPower = std::int64_t{1} << 62;

std::int64_t RoundUp(std::int64_t m, std::int64_t multiple) {
  return (m + multiple - 1) / multiple * multiple;
}

std::int64_t NextPowerOfTwo(std::int64_t m) {
  if (m <= 1) return 1;
  if (m > kLargestPower) return kLargestPower;
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m)));
}

}  // namespace

std::int64_t PaddedMGl0(std::int64_t m) {
  for (const Step& step : kSteps) {
    if (m <= step.up_to) return RoundUp(m, step.multiple);
  }
  return RoundUp(m, kLastMultiple);
}

std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n) {
  return m > kLargeM && n > kLargeN ? kLargeM : NextPowerOfTwo(m);
}

std::int64_t TokenTier(std::int64_t token) {
  if (token < kFirstWideTier) return NextPowerOfTwo(token);
  return token < kLastTier ? kFirstWideTier : kLastTier;
}

}  // namespace tunehub::core
