// The ring of stages between the copying warpgroup and the multiplying warpgroups, and the order of
// a block's tiles.
#pragma once

#include "kernels/nvidia/gemm_args.h"
#include "kernels/nvidia/instance.cuh"
#include "kernels/nvidia/ptx.cuh"

namespace tunehub::kernels::nvidia {

struct Ring {
  unsigned base;  // address in shared memory
  int stage = 0, parity = 0;

  TK_METHOD void Next() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
  TK_METHOD unsigned a() const { return base + stage * kLayout.a_bytes(); }
  TK_METHOD unsigned w() const { return base + kLayout.w_at() + stage * kLayout.w_bytes(); }
  TK_METHOD unsigned scales() const {
    return base + kLayout.scales_at() + stage * 4 * kLayout.scale_words();
  }
  TK_METHOD unsigned full() const { return base + kLayout.barriers_at() + 16 * stage; }
  TK_METHOD unsigned empty() const { return full() + 8; }
};

TK_DEVICE void InitRing(Ring ring) {
  // The thread that requests tiles arrives, and so do the threads that copy scales.
  constexpr int kFills = 1 + (kBlockScales ? kWarpgroup : 0);
  constexpr int kReleases = kLayout.math_threads() / (kBlockScales ? 1 : 32) * kCluster;  // Release
  for (int i = 0; i < kStages; ++i, ring.Next()) {
    InitBarrier(ring.full(), kFills);
    InitBarrier(ring.empty(), kReleases);
  }
  FenceBarrierInit();
}

// One step of a block's work: a tile of the output, and a slice of K.
struct Piece {
  int batch, row, column;  // the tile's first element
  int first, last;         // blocks of K
};

// The pieces of one block. All its warps walk through the same pieces. Blocks of a cluster have
// neighbouring tiles. If K is sliced, they have the slices of one tile, one piece per block.
struct Pieces {
  const GemmArgs& args;
  int rank, next, step;

  TK_METHOD explicit Pieces(const GemmArgs& all)
      : args(all),
        rank(kCluster == 1 && all.split_k == 1 ? 0 : ClusterRank()),
        next(BlockIndex() / (kCluster * all.split_k)),
        step(BlockCount() / (kCluster * all.split_k)) {}

  TK_METHOD bool Take(Piece& piece) {
    const int units = args.m_units * args.n_units, unit = next % units;
    piece.batch = next / units;
    if (piece.batch >= args.batch) return false;
    next += step;
    // Walk `group` units along M before the next unit along N, so that blocks share rows and
    // columns.
    const int in_group = args.group * args.n_units;
    const int first = unit / in_group * args.group;
    const int rows = args.m_units - first < args.group ? args.m_units - first : args.group;
    const int m_unit = first + unit % in_group % rows, n_unit = unit % in_group / rows;
    piece.row = (m_unit * kClusterM + (kClusterM == 2 ? rank : 0)) * kBlockM;
    piece.column = (n_unit * kClusterN + (kClusterN == 2 ? rank : 0)) * kBlockN;
    const int slice = args.split_k == 1 ? 0 : rank;
    piece.first = args.k_blocks * slice / args.split_k;
    piece.last = args.k_blocks * (slice + 1) / args.split_k;
    return true;
  }
};

}  // namespace tunehub::kernels::nvidia
