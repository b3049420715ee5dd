// An atom is the inner step for one format. It multiplies one group of K of a weight panel by one
// row. Sums are in int32 or float32. The struct Layout describes the data.
#pragma once

#include "kernels/cpu/micro_kernel.h"
#include "kernels/cpu/vector.h"

namespace tunehub::kernels::cpu::TK_ISA {

static inline std::int32_t WordAt(const void* from) {
  std::int32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
static inline float FloatAt(const void* from) {
  float value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The members of an atom:
// * Sum: the accumulator.
// * kSteps: the number of values of a row to multiply by the panel's group, one after another.
// * Weights(step, w, scale): a vector of decoded weights.
// * Row(a): a row's value in every lane.
// * Add(sum, row, weights).

#if TK_LANES == 16
// Each instruction adds, per lane, four products of unsigned a + 128 with signed w. Therefore Store
// subtracts 128 * sum(w). dpbusd does not saturate, so the result is exact.
struct AtomI8 {
  static constexpr Layout kLayout = {4, 4, 4, 4, 0, false, true, 1};
  static constexpr int kSteps = 1;
  using Sum = VectorI;
  using Value = VectorI;
  template <int step>
  static VectorI Weights(const char* w, VectorF /*scale*/) {
    return Load<VectorI>(w);
  }
  static VectorI Row(const char* a) { return Broadcast(WordAt(a)); }
  static VectorI Add(VectorI sum, VectorI a, VectorI w) {
    return (VectorI)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)w);
  }
};

struct AtomBf16 {
  static constexpr Layout kLayout = {2, 4, 4, 2, 0, false, false, 1};
  static constexpr int kSteps = 1;
  using Sum = VectorF;
  using Value = VectorI;
  template <int step>
  static VectorI Weights(const char* w, VectorF /*scale*/) {
    return Load<VectorI>(w);
  }
  static VectorI Row(const char* a) { return Broadcast(WordAt(a)); }
  static VectorF Add(VectorF sum, VectorI a, VectorI w) {
    return (VectorF)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)w);
  }
};
#else
// Loading widens weights to int16 for pmaddwd, which is exact for any int8. (pmaddubsw is not
// exact.)
struct AtomI8 {
  static constexpr Layout kLayout = {2, 4, 2, 4, 0, false, false, 1};
  static constexpr int kSteps = 1;
  using Sum = VectorI;
  using Value = VectorI;
  template <int step>
  static VectorI Weights(const char* w, VectorF /*scale*/) {
    return LoadBytePairs(w);
  }
  static VectorI Row(const char* a) { return Broadcast(WordAt(a)); }
  static VectorI Add(VectorI sum, VectorI a, VectorI w) { return sum + MultiplyPairs(a, w); }
};

// A bf16 is the upper half of a float32, so one shift or mask widens a vector of weights. Packing
// widens activations.
struct AtomBf16 {
  static constexpr Layout kLayout = {2, 8, 4, 2, 0, false, false, 1};
  static constexpr int kSteps = 2;
  using Sum = VectorF;
  using Value = VectorF;
  template <int step>
  static VectorF Weights(const char* w, VectorF /*scale*/) {
    const VectorU pair = Load<VectorU>(w);
    return (VectorF)(step == 0 ? pair << 16 : pair & 0xffff0000U);
  }
  static VectorF Row(const char* a) { return Broadcast(FloatAt(a)); }
  static VectorF Add(VectorF sum, VectorF a, VectorF w) { return sum + a * w; }
};
#endif

// The bits of e4m3fn, moved into the same fields of a float32, give the value times 2^-120, even
// for subnormals. The weight's scale restores a factor of 2^100, and the packed activation restores
// the rest. So no realistic scale overflows. A NaN weight decodes as 480, but weights are finite,
// because quantisers saturate.
inline constexpr float kE4m3WeightFactor = 0x1p100F;
inline constexpr float kE4m3RowFactor = 0x1p20F;

struct AtomE4m3 {
  static constexpr Layout kLayout = {1, 4, 1, 128, 128, false, false, kE4m3WeightFactor};
  static constexpr int kSteps = 1;
  using Sum = VectorF;
  using Value = VectorF;
  template <int step>
  static VectorF Weights(const char* w, VectorF scale) {
    const VectorU bits = ((VectorU)LoadBytes(w) << 20) & 0x87f00000U;
    return (VectorF)bits * scale;
  }
  static VectorF Row(const char* a) { return Broadcast(FloatAt(a)); }
  static VectorF Add(VectorF sum, VectorF a, VectorF w) { return sum + a * w; }
};

// The bits of an e2m1, moved into the same fields of a float32, give the value times 2^-126. See
// above.
inline constexpr float kE2m1WeightFactor = 0x1p106F;
inline constexpr float kE2m1RowFactor = 0x1p20F;

struct AtomE2m1 {
  static constexpr Layout kLayout = {2, 8, 1, 32, 32, true, false, kE2m1WeightFactor};
  static constexpr int kSteps = 2;
  using Sum = VectorF;
  using Value = VectorF;
  template <int step>
  static VectorF Weights(const char* w, VectorF scale) {
    const VectorU byte = (VectorU)LoadBytes(w);
    const VectorU bits = step == 0 ? ((byte & 8U) << 28) | ((byte & 7U) << 22)
                                   : ((byte & 0x80U) << 24) | ((byte & 0x70U) << 18);
    return (VectorF)bits * scale;
  }
  static VectorF Row(const char* a) { return Broadcast(FloatAt(a)); }
  static VectorF Add(VectorF sum, VectorF a, VectorF w) { return sum + a * w; }
};

}  // namespace tunehub::kernels::cpu::TK_ISA
