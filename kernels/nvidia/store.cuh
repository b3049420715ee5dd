// Stores sums from registers in the output. If K is sliced, first adds the sums of the other
// slices.
#pragma once

#include "kernels/nvidia/pipeline.cuh"

namespace tunehub::kernels::nvidia {

// The position of a thread's first sum. Sums 4 j .. 4 j + 3 are two neighbours along the tensor
// cores' columns, at 8 j, in two rows with distance 8.
TK_DEVICE At PlaceOf(const Piece& piece, int group, int wave) {
  const int thread = ThreadIndex() % kWarpgroup, lane = thread % 32;
  const int tall = (group * kWaves + wave) * 64 + thread / 32 * 16 + lane / 4;
  const int wide = 2 * (lane % 4);
  return kTransposed ? At{piece.column + tall, piece.row + wide, piece.batch}
                     : At{piece.column + wide, piece.row + tall, piece.batch};
}
TK_DEVICE At PlaceOfSum(At first, int i) {
  const int tall = i % 4 / 2 * 8, wide = i / 4 * 8 + i % 2;
  return kTransposed ? At{first.column + tall, first.row + wide, first.batch}
                     : At{first.column + wide, first.row + tall, first.batch};
}

TK_DEVICE float ScaleAt(const GemmArgs& args, At at) {
  if (at.row >= args.m || at.column >= args.n) return 0;
  return args.a_scale[at.batch * args.m + at.row] * args.w_scale[at.batch * args.n + at.column];
}

// Stores sums 4 j .. 4 j + 3 of a thread. `place` is the position of the first sum.
TK_DEVICE void StoreQuad(const GemmArgs& args, At place, float (&sums)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (kRowScales) sums[i] *= ScaleAt(args, PlaceOfSum(place, i));
  }
  constexpr int kStep = kTransposed ? 1 : 2;  // values that are neighbours in the output
#pragma unroll
  for (int i = 0; i < 4; i += kStep) {
    const At at = PlaceOfSum(place, i);
    if (at.row >= args.m || at.column >= args.n) continue;  // N is even
    const long long offset =
        (static_cast<long long>(at.batch) * args.m + at.row) * args.n + at.column;
    if (args.out_f32 != nullptr) {
#pragma unroll
      for (int j = 0; j < kStep; ++j) args.out_f32[offset + j] = sums[i + j];
    } else if constexpr (kTransposed) {
      args.out_bf16[offset] = static_cast<unsigned short>(PackBf16(sums[i], 0));
    } else {
      *reinterpret_cast<unsigned*>(args.out_bf16 + offset) = PackBf16(sums[i], sums[i + 1]);
    }
  }
}

// Ends a slice of K. Its sums go through the cluster's shared memory, in place of the ring. Each
// block adds its share of the tile, always in the order of the slices, so that equal inputs give
// equal bits. A thread reads the values that threads with its number wrote in the other blocks.
TK_DEVICE void FinishSlice(const GemmArgs& args, unsigned base, const Piece& piece,
                           const float (&sums)[kWaves][kSums]) {
  constexpr int kQuads = kWaves * kSums / 4, kThreads = kLayout.math_threads();
  static_assert(16 * kQuads * kThreads <= kLayout.chunks_at());
  const int thread = ThreadIndex() - kWarpgroup, slices = args.split_k;
  SyncNamed(1, kThreads);  // no warpgroup still multiplies data in the ring
#pragma unroll
  for (int quad = 0; quad < kQuads; ++quad) {
    const float* const four = sums[quad / (kSums / 4)] + quad % (kSums / 4) * 4;
    StoreSharedFour(base + 16 * (quad * kThreads + thread), four[0], four[1], four[2], four[3]);
  }
  SyncCluster();
  for (int quad = ClusterRank(); quad < kQuads; quad += slices) {
    float parts[kMostSlices][4] = {}, all[4] = {};
#pragma unroll
    for (int slice = 0; slice < kMostSlices; ++slice) {
      if (slice >= slices) continue;
      LoadFourOf(base + 16 * (quad * kThreads + thread), slice, parts[slice]);
    }
#pragma unroll
    for (int slice = 0; slice < kMostSlices; ++slice) {
#pragma unroll
      for (int i = 0; i < 4; ++i) all[i] += parts[slice][i];
    }
    const At first = PlaceOf(piece, thread / kWarpgroup, quad / (kSums / 4));
    StoreQuad(args, PlaceOfSum(first, quad % (kSums / 4) * 4), all);
  }
}

// Applies the scales of the output's rows and columns.
TK_DEVICE void ApplyScales(const GemmArgs& args, At place, float (&sums)[kSums]) {
  const float* const a_scale = args.a_scale + place.batch * args.m;
  const float* const w_scale = args.w_scale + place.batch * args.n;
  const float* const tall_scale = kTransposed ? w_scale : a_scale;
  const float* const wide_scale = kTransposed ? a_scale : w_scale;
  const int tall = kTransposed ? place.column : place.row, tall_end = kTransposed ? args.n : args.m;
  const int wide = kTransposed ? place.row : place.column, wide_end = kTransposed ? args.m : args.n;
  const float upper = tall < tall_end ? tall_scale[tall] : 0;
  const float lower = tall + 8 < tall_end ? tall_scale[tall + 8] : 0;
#pragma unroll
  for (int i = 0; i < kSums; i += 4) {
    const int at = wide + 2 * i;
    const float first = at < wide_end ? wide_scale[at] : 0;
    const float second = at + 1 < wide_end ? wide_scale[at + 1] : 0;
    sums[i] *= upper * first;
    sums[i + 1] *= upper * second;
    sums[i + 2] *= lower * first;
    sums[i + 3] *= lower * second;
  }
}

TK_DEVICE void StoreFloats(const GemmArgs& args, At place, const float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; i += 4) {
    float quad[4] = {sums[i], sums[i + 1], sums[i + 2], sums[i + 3]};
    StoreQuad(args, PlaceOfSum(place, i), quad);
  }
}

// Returns a buffer whose old content the copy engine has read. All threads of the group must call
// it.
TK_DEVICE unsigned TakeChunk(unsigned base, int group, int& chunk) {
  const unsigned buffer =
      base + kLayout.chunks_at() + (group * kLayout.chunks() + chunk) * kLayout.chunk_bytes();
  chunk = kLayout.chunks() == 1 ? 0 : chunk ^ 1;
  if (ThreadIndex() % kWarpgroup == 0) WaitStoresRead<kLayout.chunks() - 1>();
  SyncNamed(2 + group, kWarpgroup);
  return buffer;
}
TK_DEVICE void SendChunk(const GemmArgs& args, unsigned buffer, int group, At at) {
  FenceShared();
  SyncNamed(2 + group, kWarpgroup);
  if (ThreadIndex() % kWarpgroup != 0) return;
  if (at.row < args.m && at.column < args.n) StoreBox(&args.out, buffer, at);
  CommitStores();
}

// Stores 64 rows through shared memory, in chunks of 64 columns with the copy engine's swizzle. So
// each store writes whole rows of 128 bytes, and the warpgroup continues meanwhile.
TK_DEVICE void StoreRows(const GemmArgs& args, unsigned base, int group, int& chunk, At at,
                         const float (&sums)[kSums]) {
  const int thread = ThreadIndex() % kWarpgroup, warp = thread / 32, lane = thread % 32;
  const int row = warp * 16 + (lane & 8) + lane % 8;
#pragma unroll
  for (int first = 0; first < kSums; first += kChunk / 2) {
    const unsigned buffer = TakeChunk(base, group, chunk);
#pragma unroll
    for (int j = 0; j < kChunk / 8; j += 2) {  // units of eight columns
      const float* const of = sums + first + 4 * j;
      const int unit = (j + lane / 16) ^ (row & 7);
      StoreMatrices<false>(buffer + row * kRowBytes + unit * 16, PackBf16(of[0], of[1]),
                           PackBf16(of[2], of[3]), PackBf16(of[4], of[5]), PackBf16(of[6], of[7]));
    }
    SendChunk(args, buffer, group, {at.column + 2 * first, at.row, at.batch});
  }
}

// Does the same for a transposed tile, whose 64 rows are columns of the output. All its rows form
// one chunk.
TK_DEVICE void StoreColumns(const GemmArgs& args, unsigned base, int group, int& chunk, At at,
                            const float (&sums)[kSums]) {
  const int thread = ThreadIndex() % kWarpgroup, warp = thread / 32, lane = thread % 32;
  const unsigned buffer = TakeChunk(base, group, chunk);
#pragma unroll
  for (int j = 0; j < kSums / 4; j += 2) {  // units of eight rows
    const float* const of = sums + 4 * j;
    const int row = 8 * (j + lane / 16) + lane % 8, unit = (2 * warp + lane / 8 % 2) ^ (row & 7);
    StoreMatrices<true>(buffer + row * kRowBytes + unit * 16, PackBf16(of[0], of[1]),
                        PackBf16(of[2], of[3]), PackBf16(of[4], of[5]), PackBf16(of[6], of[7]));
  }
  SendChunk(args, buffer, group, at);
}

}  // namespace tunehub::kernels::nvidia
