// Packs activations into tiles: one pass per row, one store per group. Timings include this
// packing.
#pragma once

#include "kernels/cpu/atoms.h"

namespace tunehub::kernels::cpu::TK_ISA {

// Stores value(row pointer, row, k) in the tile for each K of each existing row, and zeros
// elsewhere. T: the type of a stored value. A group has kGroup values. They are stored side by
// side, or with kStepMajor at a distance of tile_m.
template <typename T, int kGroup, bool kStepMajor, typename Value>
static inline void PackTile(const PackArgs& args, const Value& value) {
  T* const out = static_cast<T*>(args.out);
  const int tile_m = args.tile_m;
  for (int row = 0; row < tile_m; ++row) {
    const char* const a =
        static_cast<const char*>(args.a) + static_cast<std::size_t>(row) * args.a_row_bytes;
    const int existing = row < args.rows ? args.k : 0;
    const auto at = [&](int k) {
      const int group = k / kGroup, step = k % kGroup;
      const int within = kStepMajor ? step * tile_m + row : row * kGroup + step;
      return static_cast<std::size_t>(group) * static_cast<std::size_t>(tile_m * kGroup) +
             static_cast<std::size_t>(within);
    };
    const int whole = existing / kGroup * kGroup;
    for (int k = 0; k < whole; k += kGroup) {
#pragma GCC unroll 4
      for (int step = 0; step < kGroup; ++step) out[at(k + step)] = value(a, row, k + step);
    }
    for (int k = whole; k < existing; ++k) out[at(k)] = value(a, row, k);
    for (int k = existing; k < args.k_padded; ++k) out[at(k)] = value.zero();
  }
}

struct RowI8 {
#if TK_LANES == 16
  using Stored = std::uint8_t;
  static std::uint8_t zero() {
    return 128;
  }
  std::uint8_t operator()(const char* a, int, int k) const {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(a[k]) ^ 0x80U);
  }
#else
  using Stored = std::int16_t;
  static std::int16_t zero() {
    return 0;
  }
  std::int16_t operator()(const char* a, int, int k) const {
    return static_cast<std::int8_t>(a[k]);
  }
#endif
};

static void PackI8(const PackArgs& args) {
  PackTile<RowI8::Stored, AtomI8::kLayout.group, false>(args, RowI8());
}

struct RowBf16 {
#if TK_LANES == 16
  using Stored = std::uint16_t;
  static std::uint16_t zero() {
    return 0;
  }
#else
  using Stored = std::uint32_t;
  static std::uint32_t zero() {
    return 0;
  }
#endif
  Stored operator()(const char* a, int, int k) const {
    std::uint16_t bits;
    std::memcpy(&bits, a + 2 * static_cast<std::size_t>(k), sizeof bits);
#if TK_LANES == 16
    return bits;
#else
    return static_cast<std::uint32_t>(bits) << 16;
#endif
  }
};

static void PackBf16(const PackArgs& args) {
  PackTile<RowBf16::Stored, 2, TK_LANES != 16>(args, RowBf16());
}

// Returns each code's value times kE4m3RowFactor, from a table because activations may be NaN.
struct RowE4m3 {
  const PackArgs& args;
  const float* table;
  static float zero() { return 0; }
  float operator()(const char* a, int row, int k) const {
    const float value = table[static_cast<std::uint8_t>(a[k])];
    if (args.a_scale == nullptr) return value;
    return value * static_cast<const float*>(
                       args.a_scale)[static_cast<std::size_t>(row) * args.a_scale_stride +
                                     static_cast<std::size_t>(k / AtomE4m3::kLayout.k_per_scale)];
  }
};

struct E4m3Table {
  float values[256];
};
// The compiler computes the table. (Start-up code would also run on CPUs without this ISA.)
constexpr E4m3Table MakeE4m3Table() {
  E4m3Table table = {};
  for (int code = 0; code < 256; ++code) {
    const int exponent = (code >> 3) & 15, mantissa = code & 7;
    float value = static_cast<float>(exponent == 0 ? mantissa : 8 + mantissa) * 0x1p-9F;
    for (int i = 1; i < exponent; ++i) value *= 2;
    value *= (code & 0x80) != 0 ? -kE4m3RowFactor : kE4m3RowFactor;
    table.values[code] = (code & 0x7f) == 0x7f ? __builtin_nanf("") : value;
  }
  return table;
}
static constexpr E4m3Table kE4m3Values = MakeE4m3Table();

static void PackE4m3(const PackArgs& args) {
  PackTile<float, 1, false>(args, RowE4m3{args, kE4m3Values.values});
}

struct RowE2m1 {
  const PackArgs& args;
  static float zero() { return 0; }
  float operator()(const char* a, int row, int k) const {
    static constexpr float kValues[16] = {0,     0.5F,  1,  1.5F,  2,  3,  4,  6,
                                          -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};
    const auto byte = static_cast<std::uint8_t>(a[k / 2]);
    const std::uint8_t scale = static_cast<const std::uint8_t*>(
        args.a_scale)[static_cast<std::size_t>(row) * args.a_scale_stride +
                      static_cast<std::size_t>(k / AtomE2m1::kLayout.k_per_scale)];
    return kValues[k % 2 == 0 ? byte & 15 : byte >> 4] *
           __builtin_ldexpf(kE2m1RowFactor, scale - 127);
  }
};

static void PackE2m1(const PackArgs& args) {
  PackTile<float, 2, true>(args, RowE2m1{args});
}

}  // namespace tunehub::kernels::cpu::TK_ISA
