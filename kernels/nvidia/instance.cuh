// The instance that this compilation is for, given by the build:
//   TK_NAME      the function's name
//   TK_FORMAT    of the operands
//   TK_SCALES    0 none, 1 by row and column, 2 by 1 x 128 and 128 x 128
//   TK_BLOCK_M, TK_BLOCK_N, TK_STAGES
//   TK_CLUSTER_M, TK_CLUSTER_N  tiles that a cluster computes together: 1 x 1, 2 x 1 or 1 x 2
#pragma once

#include "kernels/nvidia/gemm_layout.h"
#include "kernels/nvidia/wgmma.cuh"

namespace tunehub::kernels::nvidia {

constexpr Format kFormat = Format::TK_FORMAT;
constexpr bool kRowScales = TK_SCALES == 1, kBlockScales = TK_SCALES == 2;
constexpr int kBlockM = TK_BLOCK_M, kBlockN = TK_BLOCK_N, kStages = TK_STAGES;
constexpr int kClusterM = TK_CLUSTER_M, kClusterN = TK_CLUSTER_N;
constexpr int kCluster = kClusterM * kClusterN;
constexpr int kRowElements = kFormat == Format::kBf16 ? kRowBytes / 2 : kRowBytes;
constexpr GemmLayout kLayout{kBlockM, kBlockN, kStages, kBlockScales};
constexpr bool kMayBeFloat = kFormat == Format::kBf16;  // of the output
constexpr int kWaves = kLayout.waves(), kSums = kBlockN / 2;

// The tensor cores add up fp8 products with few bits beyond the product's own. Where registers
// allow it, what they have added up after so many blocks of K goes into float32 sums.
constexpr int kPromotedBlocks = 4;
constexpr bool kPromotes = kFormat == Format::kE4m3 && kRowScales && kWaves == 1 && kSums <= 96;

static_assert(kBlockM == 64 || kBlockM == 128 || kBlockM == 256);
static_assert(kBlockN % kChunk == 0 && kBlockN <= 256);
static_assert(kCluster <= 2);
static_assert(kLayout.bytes() <= kMaxSharedBytes);

using Multiply = Wgmma<kFormat, kBlockN>;
using Sum = Multiply::Sum;

}  // namespace tunehub::kernels::nvidia
