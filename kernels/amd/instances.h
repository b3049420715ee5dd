// Makes a kernel from each row of a table. A file of kernels sets TK_FAMILY, TK_SUFFIX, TK_ELEMENT
// and TK_SCALES, then includes this file, then its table.
#pragma once

#include "kernels/amd/matrix.h"

// The headers below need matrix.h, which selects the real machine.
#include "kernels/amd/gemm.h"
#include "kernels/amd/reduce.h"

#define TK_KERNEL(threads, waves)                                                  \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads), \
                            amdgpu_waves_per_eu(waves))) void

#define TK_PASTE(family, suffix, threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group) \
  tk_##family##_##threads##x##bm##x##bn##x##bk##_m##atom##_w##wm##x##wn##_s##stages##_##lds##_e##waves##_g##group##suffix
#define TK_NAME(...) TK_PASTE(__VA_ARGS__)

#define TK_AMD(threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group)                  \
  TK_KERNEL(threads, waves)                                                                   \
  TK_NAME(TK_FAMILY, TK_SUFFIX, threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group) \
  (tunehub::kernels::amd::GemmArgs args) {                                                    \
    using namespace tunehub::kernels::amd;                                                    \
    constexpr Spec kSpec = {                                                                  \
        {threads, bm, bn, bk, atom, wm, wn, stages, TK_LDS_##lds, waves, group},              \
        TK_ELEMENT,                                                                           \
        TK_SCALES,                                                                            \
        kThisArch};                                                                           \
    static_assert(IsSound(kSpec));                                                            \
    TK_SHARED __attribute__((aligned(16))) static char lds_memory[LdsBytes(kSpec)];           \
    GemmBlock<kSpec>(args, lds_memory).Run();                                                 \
  }
#define TK_LDS_swz Lds::kSwizzle
#define TK_LDS_pad Lds::kPad

// Rows only for chips with more LDS.
#if defined(__gfx950__)
#define TK_AMD_GFX950(...) TK_AMD(__VA_ARGS__)
#else
#define TK_AMD_GFX950(...)
#endif

// The kernel that adds the slices of a family's split K.
#define TK_REDUCE(name, number)                                                \
  TK_KERNEL(256, 1) tk_reduce_##name(tunehub::kernels::amd::ReduceArgs args) { \
    static_assert(tunehub::kernels::amd::kReduceThreads == 256);               \
    tunehub::kernels::amd::ReduceSlices<number>(args);                         \
  }
