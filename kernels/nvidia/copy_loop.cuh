// The copying warpgroup. The copy engine copies tiles; threads copy block scales.
#pragma once

#include "kernels/nvidia/pipeline.cuh"

namespace tunehub::kernels::nvidia {

// One thread requests 128 bytes of every row of A's tile and of W's tile. In a pair of blocks, each
// block requests half of the shared data, for both blocks.
TK_DEVICE void CopyTiles(const GemmArgs& args, const Ring& ring, const Piece& piece, int rank,
                         int k_block) {
  const int k = k_block * kRowElements;
  ArriveExpecting(ring.full(), kLayout.a_bytes() + kLayout.w_bytes());
  if constexpr (kClusterN == 2) {
    constexpr int kHalf = kBlockM / 2;
    LoadBoxForBoth(ring.a() + rank * kHalf * kRowBytes, &args.a, ring.full(),
                   {k, piece.row + rank * kHalf, piece.batch});
  } else {
    LoadBox(ring.a(), &args.a, ring.full(), {k, piece.row, piece.batch});
  }
  if constexpr (kClusterM == 2) {
    constexpr int kHalf = kBlockN / 2;
    LoadBoxForBoth(ring.w() + rank * kHalf * kRowBytes, &args.w, ring.full(),
                   {k, piece.column + rank * kHalf, piece.batch});
  } else {
    LoadBox(ring.w(), &args.w, ring.full(), {k, piece.column, piece.batch});
  }
}

// The warpgroup's threads copy the scales: one per row of the tile, and one per 64 columns.
TK_DEVICE void CopyScales(const GemmArgs& args, const Ring& ring, const Piece& piece, int k_block) {
  const int thread = ThreadIndex() % kWarpgroup;
#pragma unroll
  for (int first = 0; first < kBlockM; first += kWarpgroup) {
    const int i = first + thread, row = piece.row + i;
    if (i >= kBlockM) break;
    const bool inside = row < args.m;
    const long long at = inside ? static_cast<long long>(row) * args.scale_columns + k_block : 0;
    CopyWord(ring.scales() + 4 * i, args.a_scale + at, inside ? 4 : 0);
  }
  if (thread < kBlockN / 64) {
    const int column = piece.column + 64 * thread;
    const bool inside = column < args.n;
    const long long at =
        inside ? static_cast<long long>(column / 128) * args.scale_columns + k_block : 0;
    CopyWord(ring.scales() + 4 * (kBlockM + thread), args.w_scale + at, inside ? 4 : 0);
  }
  ArriveWhenCopied(ring.full());
}

TK_DEVICE void CopyLoop(const GemmArgs& args, Ring ring) {
  const bool asks = ThreadIndex() % kWarpgroup == 0;
  if (!kBlockScales && !asks) return;
  Pieces pieces(args);
  for (Piece piece; pieces.Take(piece);) {
    for (int k_block = piece.first; k_block < piece.last; ++k_block, ring.Next()) {
      WaitFor(ring.empty(), ring.parity ^ 1);  // in the first round every stage is empty
      if (asks) CopyTiles(args, ring, piece, pieces.rank, k_block);
      if constexpr (kBlockScales) CopyScales(args, ring, piece, k_block);
    }
  }
}

}  // namespace tunehub::kernels::nvidia
