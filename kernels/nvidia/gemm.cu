// out = A . W^T for sm_90a. One warpgroup copies; the other warpgroups multiply. Blocks stay
// resident and walk over the tiles.
#include "kernels/nvidia/copy_loop.cuh"
#include "kernels/nvidia/math_loop.cuh"
#include "kernels/nvidia/store.cuh"

namespace tunehub::kernels::nvidia {

TK_DEVICE void Finish(const GemmArgs& args, unsigned base, int group, int& chunk,
                      const Piece& piece, float (&sums)[kWaves][kSums]) {
  if (args.split_k > 1) return FinishSlice(args, base, piece, sums);
#pragma unroll
  for (int wave = 0; wave < kWaves; ++wave) {
    const At place = PlaceOf(piece, group, wave);
    const int tall = (group * kWaves + wave) * 64;
    if constexpr (kRowScales) ApplyScales(args, place, sums[wave]);
    if (kMayBeFloat && args.out_f32 != nullptr) {
      StoreFloats(args, place, sums[wave]);
    } else if constexpr (kTransposed) {
      StoreColumns(args, base, group, chunk, {piece.column + tall, piece.row, piece.batch},
                   sums[wave]);
    } else {
      StoreRows(args, base, group, chunk, {piece.column, piece.row + tall, piece.batch},
                sums[wave]);
    }
  }
}

TK_DEVICE void MathLoop(const GemmArgs& args, Ring ring) {
  const int group = ThreadIndex() / kWarpgroup - 1;
  Pieces pieces(args);
  int chunk = 0;
  BeginTurns(group);
  for (Piece piece; pieces.Take(piece);) {
    float sums[kWaves][kSums];
    if constexpr (kBlockScales) {
      SumScaled(ring, group, piece.last - piece.first, sums);
    } else if constexpr (kPromotes) {
      SumPromoted(ring, group, piece.last - piece.first, sums[0]);
    } else {
      Sum raw[kWaves][kSums];
      SumAll(ring, group, piece.last - piece.first, raw);
#pragma unroll
      for (int wave = 0; wave < kWaves; ++wave) {
#pragma unroll
        for (int i = 0; i < kSums; ++i) sums[wave][i] = static_cast<float>(raw[wave][i]);
        PinAll(sums[wave]);  // converts the sums here, not where they are used
      }
    }
    Finish(args, ring.base, group, chunk, piece, sums);
  }
  if (ThreadIndex() % kWarpgroup == 0) WaitStores();
}

}  // namespace tunehub::kernels::nvidia

extern "C" __global__ void __launch_bounds__(tunehub::kernels::nvidia::kLayout.threads(),
                                             tunehub::kernels::nvidia::kLayout.blocks())
    TK_NAME(const __grid_constant__ tunehub::kernels::nvidia::GemmArgs args) {
  using namespace tunehub::kernels::nvidia;
  extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
  const Ring ring{SharedAddress(shared)};
  if (ThreadIndex() == 0) {
    PrefetchMap(&args.a);
    PrefetchMap(&args.w);
    InitRing(ring);
  }
  if constexpr (kCluster == 2) {
    SyncCluster();
  } else {
    SyncBlock();
  }
  // The copying warpgroup gives up registers, because two multiplying warpgroups need more than an
  // equal share.
  constexpr bool kUneven = kLayout.math_groups() == 2 && !kTransposed;
  if (ThreadIndex() < kWarpgroup) {
    if constexpr (kUneven) GiveRegisters<40>();
    CopyLoop(args, ring);
  } else {
    if constexpr (kUneven) TakeRegisters<232>();
    MathLoop(args, ring);
  }
  if (args.split_k > 1 && ThreadIndex() < kWarpgroup) SyncCluster();  // for FinishSlice
  // A block must not end while another block reads it, copies to it or signals it.
  if (kCluster == 2 || args.split_k > 1) SyncCluster();
}
