// wgmma multiplies 64 rows of A by kColumns columns of W^T. Both come from shared memory, in rows
// of 128 bytes with the 128-byte swizzle. Each instruction covers 32 bytes of K. Sums are in
// registers: for thread t in warp w, sums[4 j + i] is row 16 w + t / 4 + 8 (i / 2), column 8 j + 2
// (t % 4) + i % 2.
#pragma once

#include "kernels/nvidia/cuda_words.cuh"

namespace tunehub::kernels::nvidia {

enum class Format { kInt8, kE4m3, kBf16 };

TK_DEVICE void FenceWgmma() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
TK_DEVICE void CommitWgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
TK_DEVICE void WaitWgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// Keeps the compiler from moving a sum's use across the wait, which the compiler does not
// understand.
TK_DEVICE void Pin(float& sum) {
  asm volatile("" : "+f"(sum)::"memory");
}
TK_DEVICE void Pin(int& sum) {
  asm volatile("" : "+r"(sum)::"memory");
}

// The descriptor of a tile in shared memory: its address, 1024 bytes between groups of eight rows,
// 128-byte swizzle. Each K step adds 32 bytes to the address.
TK_DEVICE unsigned long long TileDescriptor(unsigned address) {
  constexpr unsigned long long kGroupStride = 1024 >> 4, kSwizzle128 = 1;
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) | kGroupStride << 32 |
         kSwizzle128 << 62;
}
constexpr int kStepBytes = 32, kStepsPerRow = 4;
constexpr unsigned long long kStepInDescriptor = kStepBytes >> 4;

// clang-format off
#define TK_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7"

#define TK_REGISTERS_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"

#define TK_REGISTERS_64 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

#define TK_REGISTERS_128 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

#define TK_REGISTERS_192 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"

#define TK_REGISTERS_256 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define TK_EIGHT(c, d, at) \
  c(d[at + 0]), c(d[at + 1]), c(d[at + 2]), c(d[at + 3]), c(d[at + 4]), c(d[at + 5]), c(d[at + 6]), c(d[at + 7])
#define TK_SIXTEEN(c, d, at) TK_EIGHT(c, d, at), TK_EIGHT(c, d, at + 8)
#define TK_SUMS_16(c, d) TK_EIGHT(c, d, 0)
#define TK_SUMS_32(c, d) TK_SIXTEEN(c, d, 0)
#define TK_SUMS_64(c, d) TK_SIXTEEN(c, d, 0), TK_SIXTEEN(c, d, 16)
#define TK_SUMS_128(c, d) TK_SUMS_64(c, d), TK_SIXTEEN(c, d, 32), TK_SIXTEEN(c, d, 48)
#define TK_SUMS_192(c, d) TK_SUMS_128(c, d), TK_SIXTEEN(c, d, 64), TK_SIXTEEN(c, d, 80)
#define TK_SUMS_256(c, d) TK_SUMS_192(c, d), TK_SIXTEEN(c, d, 96), TK_SIXTEEN(c, d, 112)
// clang-format on

template <Format kFormat, int kColumns>
struct Wgmma;

// a, b, p: the numbers of the operands after the sums in the instruction.
#define TK_WGMMA(format, type, constraint, columns, shape, tail, a, b, p)                          \
  template <>                                                                                      \
  struct Wgmma<Format::format, columns> {                                                          \
    using Sum = type;                                                                              \
    static __device__ __forceinline__ void Step(type (&d)[columns / 2], unsigned long long tile_a, \
                                                unsigned long long tile_w, int add) {              \
      asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" p                                      \
                   ", 0;\n"                                                                        \
                   "wgmma.mma_async.sync.aligned.m64n" #columns shape " {" TK_REGISTERS_##columns  \
                   "}, %" a ", %" b ", add" tail ";\n}"                                            \
                   : TK_SUMS_##columns(constraint, d)                                              \
                   : "l"(tile_a), "l"(tile_w), "r"(add));                                          \
    }                                                                                              \
  };
#define TK_WGMMA_FORMATS(columns, a, b, p)                                            \
  TK_WGMMA(kE4m3, float, "+f", columns, "k32.f32.e4m3.e4m3", ", 1, 1", a, b, p)       \
  TK_WGMMA(kBf16, float, "+f", columns, "k16.f32.bf16.bf16", ", 1, 1, 0, 0", a, b, p) \
  TK_WGMMA(kInt8, int, "+r", columns, "k32.s32.s8.s8", "", a, b, p)
TK_WGMMA_FORMATS(16, "8", "9", "10")
TK_WGMMA_FORMATS(32, "16", "17", "18")
TK_WGMMA_FORMATS(64, "32", "33", "34")
TK_WGMMA_FORMATS(128, "64", "65", "66")
TK_WGMMA_FORMATS(192, "96", "97", "98")
TK_WGMMA_FORMATS(256, "128", "129", "130")
#undef TK_WGMMA_FORMATS
#undef TK_WGMMA

}  // namespace tunehub::kernels::nvidia
