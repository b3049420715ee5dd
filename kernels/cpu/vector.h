// Vectors of one build. TK_ISA is the build's namespace. TK_LANES is the number of 32-bit lanes in
// a vector. Only micro_kernels.h includes this file; it is compiled once per ISA.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace tunehub::kernels::cpu::TK_ISA {

inline constexpr int kLanes = TK_LANES;
// x86-64-v4 has 32 vector registers.
inline constexpr int kRegisters = TK_LANES == 16 ? 32 : 16;

typedef std::int32_t VectorI __attribute__((vector_size(TK_LANES * 4)));
typedef std::uint32_t VectorU __attribute__((vector_size(TK_LANES * 4)));
typedef float VectorF __attribute__((vector_size(TK_LANES * 4)));

template <typename Vector>
static inline Vector Load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <typename Vector>
static inline void Save(void* to, Vector vector) {
  std::memcpy(to, &vector, sizeof vector);
}

static inline VectorF Broadcast(float value) {
  return value - VectorF{};
}
static inline VectorI Broadcast(std::int32_t value) {
  return value - VectorI{};
}

// Loads kLanes bytes and sign-extends each byte to a lane.
static inline VectorI LoadBytes(const void* from) {
#if TK_LANES == 16
  return (VectorI)_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(from)));
#elif TK_LANES == 8
  return (VectorI)_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(from)));
#else
  std::int32_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return (VectorI)_mm_cvtepi8_epi32(_mm_cvtsi32_si128(bytes));
#endif
}

#if TK_LANES != 16
// Loads 2 * kLanes bytes and sign-extends each byte to half a lane.
static inline VectorI LoadBytePairs(const void* from) {
#if TK_LANES == 8
  return (VectorI)_mm256_cvtepi8_epi16(_mm_loadu_si128(static_cast<const __m128i*>(from)));
#else
  return (VectorI)_mm_cvtepi8_epi16(_mm_loadl_epi64(static_cast<const __m128i*>(from)));
#endif
}

// Returns, per lane, the sum of the products of both halves. The sum is exact: it is at most 2 *
// 128 * 128.
static inline VectorI MultiplyPairs(VectorI a, VectorI b) {
#if TK_LANES == 8
  return (VectorI)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
  return (VectorI)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
}
#endif

// Rounds to bf16 in the low half of each lane, to nearest, ties to even. A NaN stays NaN.
static inline VectorU RoundToBf16(VectorF values) {
  const VectorU bits = (VectorU)values;
  const VectorU rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const VectorU nan = (VectorU)(values != values);
  return (rounded & ~nan) | (((bits >> 16) | 0x40U) & nan);
}

static inline void SaveBf16(std::uint16_t* to, VectorF values) {
  const VectorU bits = RoundToBf16(values);
#if TK_LANES == 16
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16((__m512i)bits));
#elif TK_LANES == 8
  const __m256i whole = (__m256i)bits;
  _mm_storeu_si128(
      reinterpret_cast<__m128i*>(to),
      _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
#else
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi32((__m128i)bits, (__m128i)bits));
#endif
}

}  // namespace tunehub::kernels::cpu::TK_ISA
