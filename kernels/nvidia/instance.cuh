// The instance that this compilation makes. The build defines:
//   TK_NAME      the function's name
//   TK_FORMAT    the format of the operands
//   TK_SCALES    0 none, 1 by row and column, 2 by 1 x 128 and 128 x 128
//   TK_BLOCK_M, TK_BLOCK_N, TK_STAGES
//   TK_CLUSTER_M, TK_CLUSTER_N  tiles that a cluster computes together: 1 x 1, 2 x 1 or 1 x 2
//   TK_TRANSPOSED  1: computes W . A^T, for an A with fewer rows than the tensor cores' 64
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
constexpr bool kTransposed = TK_TRANSPOSED;
constexpr GemmLayout kLayout{kBlockM, kBlockN, kStages, kBlockScales, kTransposed};
// The tile from the tensor cores' side: its rows (a multiple of 64) and its columns.
constexpr int kTall = kLayout.tall(), kWide = kLayout.wide();
constexpr bool kMayBeFloat = kFormat == Format::kBf16;  // the output may be float32
constexpr int kWaves = kLayout.waves(), kSums = kWide / 2;

// The tensor cores add fp8 products with only a few bits more than a product has. If there are
// enough registers, their sum over this many blocks of K is added to float32 sums.
constexpr int kPromotedBlocks = 4;
constexpr bool kPromotes = kFormat == Format::kE4m3 && kRowScales && kWaves == 1 && kSums <= 96;

static_assert(kTall == 64 || kTall == 128 || kTall == 256);
static_assert(kTransposed ? kWide % 16 == 0 && kWide <= 64 && kCluster == 1
                          : kWide % kChunk == 0 && kWide <= 256);
static_assert(kCluster <= 2);
static_assert(kLayout.bytes() <= kMaxSharedBytes);

using Multiply = Wgmma<kFormat, kWide>;
using Sum = Multiply::Sum;

}  // namespace tunehub::kernels::nvidia
