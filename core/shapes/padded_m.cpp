#include "core/shapes/padded_m.h"

#include <array>
#include <bit>

#include "core/row/cell.h"

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

namespace {

// Below the gl 0 grid's first point, 16: where a kernel made for 16 rows would waste most.
bool IsSmallPower(std::int64_t m) {
  return m == 1 || m == 2 || m == 4 || m == 8;
}

}  // namespace

std::size_t MColumnOf(const Family& family) {
  return family.lookup.m != kNoColumn ? family.lookup.m : family.metric.m;
}

std::int64_t LookupM(const Family& family, std::int64_t m) {
  if (family.lookup.kind == "token_tiers") return TokenTier(m);
  if (family.lookup.kind != "padded_m" || IsSmallPower(m)) return m;
  return PaddedMGl0(m);
}

std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells) {
  if (family.lookup.m == kNoColumn) return cells;
  for (std::size_t i = 0; i < cells.size() && i < family.untuned_columns.size(); ++i) {
    if (family.Find(family.untuned_columns[i]) != family.lookup.m) continue;
    const auto m = ParseInt64(cells[i]);
    if (m && *m >= 1) cells[i] = std::to_string(LookupM(family, *m));
  }
  return cells;
}

}  // namespace tunehub::core
