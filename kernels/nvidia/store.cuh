// From sums in registers to the output, by way of the other slices of K where there are any.
#pragma once

#include "kernels/nvidia/pipeline.cuh"

namespace tunehub::kernels::nvidia {

// A float4 of every thread, of one slice of a tile: what the threads of another block read in the
// same order.
constexpr int kQuads = kWaves * kSums / 4, kMathThreads = kLayout.math_threads();
constexpr long long kTileFloats = static_cast<long long>(kBlockM) * kBlockN;

TK_DEVICE void StoreSlice(const GemmArgs& args, const Piece& piece,
                          const float (&sums)[kWaves][kSums]) {
  const int tiles = kCluster * UnitCount(args);
  float* const to = args.partial +
                    kTileFloats * (static_cast<long long>(tiles) * piece.slice + piece.tile) +
                    4 * (ThreadIndex() - kWarpgroup);
#pragma unroll
  for (int wave = 0; wave < kWaves; ++wave) {
#pragma unroll
    for (int i = 0; i < kSums; i += 4) {
      StoreFour(to + (wave * kSums + i) * kMathThreads, sums[wave][i], sums[wave][i + 1],
                sums[wave][i + 2], sums[wave][i + 3]);
    }
  }
}

// Two rows by two columns of the output, of which a thread's four sums are.
TK_DEVICE void StoreQuad(const GemmArgs& args, At place, const float (&sums)[4]) {
  const auto [column, row, batch] = place;
  if (column >= args.n) return;  // N is even
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = row + 8 * i;
    if (at >= args.m) continue;
    float first = sums[2 * i], second = sums[2 * i + 1];
    if constexpr (kRowScales) {
      const float* const w_scale = args.w_scale + batch * args.n + column;
      const float a_scale = args.a_scale[batch * args.m + at];
      first *= a_scale * w_scale[0];
      second *= a_scale * w_scale[1];
    }
    const long long offset = (static_cast<long long>(batch) * args.m + at) * args.n + column;
    if (args.out_f32 != nullptr) {
      args.out_f32[offset] = first;
      args.out_f32[offset + 1] = second;
    } else {
      *reinterpret_cast<unsigned*>(args.out_bf16 + offset) = PackBf16(first, second);
    }
  }
}

// Adds up the slices of quads first, first + step, ... of a tile, always in the order of the
// slices, so that the same inputs give the same bits.
TK_DEVICE void SumQuads(const GemmArgs& args, const Piece& piece, int first, int step) {
  constexpr int kInFlight = 8;
  const int thread = ThreadIndex() - kWarpgroup, group = thread / kWarpgroup;
  const int in_group = thread % kWarpgroup;
  const long long tiles = static_cast<long long>(kCluster) * UnitCount(args);
  const float* const tile = args.partial + kTileFloats * piece.tile + 4 * thread;
  for (int quad = first; quad < kQuads; quad += step) {
    float sums[4] = {};
    for (int slice = 0; slice < args.split_k; slice += kInFlight) {
      float parts[kInFlight][4] = {};
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
        if (slice + i >= args.split_k) continue;
        LoadFour(tile + kTileFloats * tiles * (slice + i) + 4 * quad * kMathThreads, parts[i]);
      }
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[j] += parts[i][j];
      }
    }
    const int wave = quad / (kSums / 4), eight = quad % (kSums / 4);
    const int row =
        piece.row + (group * kWaves + wave) * 64 + in_group / 32 * 16 + in_group % 32 / 4;
    StoreQuad(args, {piece.column + 8 * eight + 2 * (thread % 4), row, piece.batch}, sums);
  }
}

// Where all slices run at one time, each block waits for the others and adds up its share; else the
// block that comes last adds up all.
TK_DEVICE void FinishSlice(const GemmArgs& args, unsigned base, const Piece& piece,
                           const float (&sums)[kWaves][kSums]) {
  const int slices = args.split_k;
  const bool together = UnitCount(args) * slices <= BlockCount() / kCluster;
  StoreSlice(args, piece, sums);
  FenceDevice();
  SyncNamed(1, kMathThreads);
  const unsigned flag = base + kLayout.flag_at();
  unsigned* const counter = args.arrived + piece.tile;
  if (ThreadIndex() == kWarpgroup) {
    bool adds = true;
    if (together) {
      CountUp(counter);
      while (ReadCount(counter) < static_cast<unsigned>(slices)) {
      }
      // The last to leave leaves it at zero, for the next launch.
      if (CountUp(counter) == static_cast<unsigned>(2 * slices - 1)) ClearCount(counter);
    } else {
      adds = CountUp(counter) == static_cast<unsigned>(slices - 1);
      if (adds) ClearCount(counter);
    }
    StoreSharedInt(flag, adds ? 1 : 0);
  }
  SyncNamed(1, kMathThreads);
  const bool adds = LoadSharedInt(flag) != 0;
  SyncNamed(1, kMathThreads);  // all have read it before the next piece writes it
  if (!adds) return;
  FenceDevice();
  SumQuads(args, piece, together ? piece.slice : 0, together ? slices : 1);
}

// By rows and columns, of which a thread has two rows and two neighbouring columns in each eight.
TK_DEVICE void ApplyScales(const GemmArgs& args, At place, float (&sums)[kSums]) {
  const auto [column, row, batch] = place;
  const float* const a_scale = args.a_scale + batch * args.m;
  const float* const w_scale = args.w_scale + batch * args.n;
  const float upper = row < args.m ? a_scale[row] : 0;
  const float lower = row + 8 < args.m ? a_scale[row + 8] : 0;
#pragma unroll
  for (int i = 0; i < kSums; i += 4) {
    const int at = column + 2 * i + 2 * (ThreadIndex() % 4);
    const bool inside = at < args.n;  // N is even
    const float first = inside ? w_scale[at] : 0, second = inside ? w_scale[at + 1] : 0;
    sums[i] *= upper * first;
    sums[i + 1] *= upper * second;
    sums[i + 2] *= lower * first;
    sums[i + 3] *= lower * second;
  }
}

TK_DEVICE void StoreFloats(const GemmArgs& args, At at, const float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; i += 4) {
    const float quad[4] = {sums[i], sums[i + 1], sums[i + 2], sums[i + 3]};
    StoreQuad(args, {at.column + 2 * i + 2 * (ThreadIndex() % 4), at.row, at.batch}, quad);
  }
}

// 64 rows in chunks of 64 columns through shared memory, swizzled as the copy engine reads them, so
// that rows leave as whole 128 bytes and the warpgroup goes on meanwhile.
TK_DEVICE void StoreBf16(const GemmArgs& args, unsigned base, int group, int& chunk, At at,
                         const float (&sums)[kSums]) {
  const int thread = ThreadIndex() % kWarpgroup, warp = thread / 32, lane = thread % 32;
#pragma unroll
  for (int first = 0; first < kSums; first += kChunk / 2) {
    const unsigned buffer =
        base + kLayout.chunks_at() + (group * kLayout.chunks() + chunk) * kChunkBytes;
    chunk = kLayout.chunks() == 1 ? 0 : chunk ^ 1;
    if (thread == 0) WaitStoresRead<kLayout.chunks() - 1>();
    SyncNamed(2 + group, kWarpgroup);
    const int at_row = warp * 16 + (lane & 8) + lane % 8;
#pragma unroll
    for (int j = 0; j < kChunk / 8; j += 2) {  // eights of columns
      const float* const of = sums + first + 4 * j;
      const int unit = (j + lane / 16) ^ (at_row & 7);
      StoreMatrices(buffer + at_row * kRowBytes + unit * 16, PackBf16(of[0], of[1]),
                    PackBf16(of[2], of[3]), PackBf16(of[4], of[5]), PackBf16(of[6], of[7]));
    }
    FenceShared();
    SyncNamed(2 + group, kWarpgroup);
    const int column = at.column + 2 * first;
    if (thread == 0 && at.row < args.m && column < args.n) {
      StoreBox(&args.out, buffer, {column, at.row, at.batch});
    }
    if (thread == 0) CommitStores();
  }
}

}  // namespace tunehub::kernels::nvidia
