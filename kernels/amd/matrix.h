// The matrix instructions. K per instruction depends on the architecture. A lane always loads one
// chunk of each operand, which is enough for one, two or four instructions.
//
// A lane's bytes may contain any elements of K, as long as both operands contain the same elements.
// Lanes read the chunks of both operands in the same way. So each instruction multiplies equal
// parts of K. The instructions of a chunk together sum over all K of the chunk.
#pragma once

#include "kernels/amd/builtins.h"

namespace tunehub::kernels::amd {

typedef short Short4 __attribute__((vector_size(8)));
#if defined(__gfx950__)  // clang 15 has no __bf16 here and no gfx950
typedef __bf16 Bf16x8 __attribute__((vector_size(16)));
#endif
typedef long Long2 __attribute__((vector_size(16)));
struct TwoShort4 {
  Short4 part[2];
};

template <int atom, typename Sums>
TK_DEVICE void MultiplyBf16(Chunk first, Chunk second, Sums& sums) {
#if defined(__gfx950__)
  const auto x = __builtin_bit_cast(Bf16x8, first);
  const auto y = __builtin_bit_cast(Bf16x8, second);
  if constexpr (atom == 32) {
    sums = __builtin_amdgcn_mfma_f32_32x32x16_bf16(x, y, sums, 0, 0, 0);
  } else {
    sums = __builtin_amdgcn_mfma_f32_16x16x32_bf16(x, y, sums, 0, 0, 0);
  }
#else
  const auto x = __builtin_bit_cast(TwoShort4, first);
  const auto y = __builtin_bit_cast(TwoShort4, second);
  TK_UNROLL
  for (int i = 0; i < 2; ++i) {
    if constexpr (atom == 32) {
      sums = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x.part[i], y.part[i], sums, 0, 0, 0);
    } else {
      sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x.part[i], y.part[i], sums, 0, 0, 0);
    }
  }
#endif
}

template <int atom, typename Sums>
TK_DEVICE void MultiplyInt8(Chunk first, Chunk second, Sums& sums) {
#if defined(__gfx950__)
  if constexpr (atom == 32) {
    sums = __builtin_amdgcn_mfma_i32_32x32x32_i8(first, second, sums, 0, 0, 0);
  } else {
    sums = __builtin_amdgcn_mfma_i32_16x16x64_i8(first, second, sums, 0, 0, 0);
  }
#elif defined(__gfx942__)
  const auto x = __builtin_bit_cast(Long2, first);
  const auto y = __builtin_bit_cast(Long2, second);
  TK_UNROLL
  for (int i = 0; i < 2; ++i) {
    if constexpr (atom == 32) {
      sums = __builtin_amdgcn_mfma_i32_32x32x16_i8(x[i], y[i], sums, 0, 0, 0);
    } else {
      sums = __builtin_amdgcn_mfma_i32_16x16x32_i8(x[i], y[i], sums, 0, 0, 0);
    }
  }
#else
  TK_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (atom == 32) {
      sums = __builtin_amdgcn_mfma_i32_32x32x8i8(first[i], second[i], sums, 0, 0, 0);
    } else {
      sums = __builtin_amdgcn_mfma_i32_16x16x16i8(first[i], second[i], sums, 0, 0, 0);
    }
  }
#endif
}

#if !defined(__gfx90a__)  // gfx90a lacks this instruction
template <int atom, typename Sums>
TK_DEVICE void MultiplyFp8(Chunk first, Chunk second, Sums& sums) {
  const auto x = __builtin_bit_cast(Long2, first);
  const auto y = __builtin_bit_cast(Long2, second);
  TK_UNROLL
  for (int i = 0; i < 2; ++i) {
    if constexpr (atom == 32) {
      sums = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[i], y[i], sums, 0, 0, 0);
    } else {
      sums = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(x[i], y[i], sums, 0, 0, 0);
    }
  }
}
#endif

// sums += first . second^T over the lanes' chunks.
template <Spec spec, typename Sums>
TK_DEVICE void Multiply(Chunk first, Chunk second, Sums& sums) {
  static_assert(spec.arch == kThisArch);
  if constexpr (spec.element == Element::kBf16) {
    MultiplyBf16<spec.config.atom>(first, second, sums);
  } else if constexpr (spec.element == Element::kInt8) {
    MultiplyInt8<spec.config.atom>(first, second, sums);
  } else {
#if defined(__gfx90a__)
    static_assert(spec.element != Element::kFp8, "gfx90a cannot multiply fp8");
#else
    MultiplyFp8<spec.config.atom>(first, second, sums);
#endif
  }
}

}  // namespace tunehub::kernels::amd
