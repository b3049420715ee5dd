// The GEMM of every instance. Before this header, a file must include the headers of its machine:
// builtins.h and matrix.h, or the emulator's lane.h.
//
// W's rows are the first operand of the matrix instruction, and A's rows are the second. A lane
// then has four neighbouring columns of one row of the output, and stores them together.
#pragma once

#include "kernels/amd/output.h"
#include "kernels/amd/tile_loader.h"
#include "kernels/amd/tile_order.h"

namespace tunehub::kernels::amd {

template <Spec spec>
class GemmBlock {
 public:
  TK_DEVICE GemmBlock(const GemmArgs& args, char* lds)
      : args_(args), place_(PlaceOf(args)), loader_(args, place_, lds), lds_(lds) {
    const int wave = Uniform(ThreadIndex() / kWave);
    lane_ = ThreadIndex() % kWave;
    wave_row_ = wave % kConfig.wave_m * kTilesM * kAtom;
    wave_column_ = wave / kConfig.wave_m * kTilesN * kAtom;
  }

  TK_DEVICE void Run() {
    const int end = place_.k_end, step = kConfig.block_k;
    Clear();
    if constexpr (kConfig.stages == 1) {
      // While one tile is in LDS, the block loads the next tile to registers.
      loader_.Fetch(place_.k_begin);
      for (int k = place_.k_begin; k < end; k += step) {
        loader_.Put(0);
        Barrier();
        loader_.Fetch(k + step);
        MultiplyTile(0, k);
        Barrier();
      }
    } else {
      // While the block reads one tile in LDS, it writes the second tile and loads a third tile to
      // registers.
      loader_.Fetch(place_.k_begin);
      loader_.Put(0);
      loader_.Fetch(place_.k_begin + step);
      Barrier();
      int stage = 0;
      for (int k = place_.k_begin; k < end; k += step) {
        loader_.Put(stage ^ 1);
        loader_.Fetch(k + 2 * step);
        MultiplyTile(stage, k);
        Barrier();
        stage ^= 1;
      }
    }
    Finish();
  }

 private:
  static constexpr Config kConfig = spec.config;
  static constexpr int kAtom = kConfig.atom;
  static constexpr int kTilesM = kConfig.block_m / (kConfig.wave_m * kAtom);
  static constexpr int kTilesN = kConfig.block_n / (kConfig.wave_n * kAtom);
  static constexpr int kGroups = kWave / kAtom;                       // lanes that share a row
  static constexpr int kSteps = RowBytes(spec) / (kChunk * kGroups);  // steps of K in a tile
  static constexpr int kSums = kAtom * kAtom / kWave;                 // a lane's sums of a product
  using Number = SumOf<spec.element>;
  using Sums = Vector<Number, kSums>;

  TK_DEVICE void Clear() {
    TK_UNROLL
    for (int i = 0; i < kTilesM; ++i) {
      TK_UNROLL
      for (int j = 0; j < kTilesN; ++j) sums_[i][j] = Sums{};
    }
  }

  TK_DEVICE Chunk ReadA(int stage, int i, int step) const {
    const int row = wave_row_ + i * kAtom + lane_ % kAtom;
    return ReadShared(lds_, SlotOfA<spec>(stage, row, step * kGroups + lane_ / kAtom));
  }
  TK_DEVICE Chunk ReadW(int stage, int j, int step) const {
    const int row = wave_column_ + j * kAtom + lane_ % kAtom;
    return ReadShared(lds_, SlotOfW<spec>(stage, row, step * kGroups + lane_ / kAtom));
  }

  TK_DEVICE void MultiplyTile(int stage, int k) {
    if constexpr (spec.scales == Scales::kBlock128) {
      MultiplyScaled(stage, k);
    } else {
      MultiplyPlain(stage);
    }
  }

  TK_DEVICE void MultiplyPlain(int stage) {
    TK_UNROLL
    for (int step = 0; step < kSteps; ++step) {
      Chunk a[kTilesM], w[kTilesN];
      TK_UNROLL
      for (int i = 0; i < kTilesM; ++i) a[i] = ReadA(stage, i, step);
      TK_UNROLL
      for (int j = 0; j < kTilesN; ++j) w[j] = ReadW(stage, j, step);
      TK_UNROLL
      for (int i = 0; i < kTilesM; ++i) {
        TK_UNROLL
        for (int j = 0; j < kTilesN; ++j) Multiply<spec>(w[j], a[i], sums_[i][j]);
      }
    }
  }

  // block_k is one block of scales, so the kernel scales a tile's sums when it adds them.
  TK_DEVICE void MultiplyScaled(int stage, int k) {
    const int blocks_k = (args_.k + kScaleBlock - 1) / kScaleBlock;
    const int blocks_n = (args_.n + kScaleBlock - 1) / kScaleBlock;
    float scale_a[kTilesM], scale_w[kTilesN];
    TK_UNROLL
    for (int i = 0; i < kTilesM; ++i) {
      const int row = place_.m + wave_row_ + i * kAtom + lane_ % kAtom;
      const int inside = row < args_.m ? row : args_.m - 1;
      scale_a[i] =
          Load(args_.a_scale + (long(BlockZ()) * args_.m + inside) * blocks_k + k / kScaleBlock);
    }
    TK_UNROLL
    for (int j = 0; j < kTilesN; ++j) {
      const int block = (place_.n + wave_column_ + j * kAtom) / kScaleBlock;
      const int inside = block < blocks_n ? block : blocks_n - 1;
      scale_w[j] =
          Load(args_.w_scale + (long(BlockZ()) * blocks_n + inside) * blocks_k + k / kScaleBlock);
    }
    Chunk a[kTilesM][kSteps];
    TK_UNROLL
    for (int i = 0; i < kTilesM; ++i) {
      TK_UNROLL
      for (int step = 0; step < kSteps; ++step) a[i][step] = ReadA(stage, i, step);
    }
    TK_UNROLL
    for (int j = 0; j < kTilesN; ++j) {
      Chunk w[kSteps];
      TK_UNROLL
      for (int step = 0; step < kSteps; ++step) w[step] = ReadW(stage, j, step);
      TK_UNROLL
      for (int i = 0; i < kTilesM; ++i) {
        Sums block = {};
        TK_UNROLL
        for (int step = 0; step < kSteps; ++step) Multiply<spec>(w[step], a[i][step], block);
        sums_[i][j] += block * (scale_a[i] * scale_w[j]);
      }
    }
  }

  TK_DEVICE void Finish() const {
    const Output<spec> output(args_);
    TK_UNROLL
    for (int i = 0; i < kTilesM; ++i) {
      const int m = place_.m + wave_row_ + i * kAtom + lane_ % kAtom;
      if (m >= args_.m) continue;
      TK_UNROLL
      for (int j = 0; j < kTilesN; ++j) {
        TK_UNROLL
        for (int quad = 0; quad < kSums / 4; ++quad) {
          const int n = place_.n + wave_column_ + j * kAtom + 4 * (quad * kGroups + lane_ / kAtom);
          Vector<Number, 4> four;
          TK_UNROLL
          for (int e = 0; e < 4; ++e) four[e] = sums_[i][j][4 * quad + e];
          output.Write(m, n, four);
        }
      }
    }
  }

  TK_DEVICE static Place PlaceOf(const GemmArgs& args) {
    const int tiles_m = (args.m + kConfig.block_m - 1) / kConfig.block_m;
    const int tiles_n = (args.n + kConfig.block_n - 1) / kConfig.block_n;
    const Tile tile = TileOf(BlockX(), tiles_m, tiles_n, args.group_m, args.xcds);
    const int k_begin = BlockY() * args.k_slice;
    const int left = args.k - k_begin;
    return {tile.m * kConfig.block_m, tile.n * kConfig.block_n, k_begin,
            k_begin + (left < args.k_slice ? left : args.k_slice)};
  }

  const GemmArgs& args_;
  const Place place_;
  TileLoader<spec> loader_;
  char* const lds_;
  int lane_, wave_row_, wave_column_;
  Sums sums_[kTilesM][kTilesN];
};

}  // namespace tunehub::kernels::amd
