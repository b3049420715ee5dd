// Loads a tile of A and a tile of W from memory to LDS, through registers.
#pragma once

#include "kernels/amd/args.h"
#include "kernels/amd/config.h"
#include "kernels/amd/vectors.h"

namespace tunehub::kernels::amd {

// The part of the output that a block computes: rows from m, columns from n, elements
// k_begin..k_end of K.
struct Place {
  int m, n, k_begin, k_end;
};

// Returns the offset in LDS of chunk `chunk` in a tile's row. A row of 128 bytes covers all banks
// once (32 banks of 4 bytes; gfx950 has 64 banks and reads twice the width). Several shorter rows
// together cover all banks.
template <Spec spec>
TK_DEVICE constexpr int SlotInRow(int row, int chunk) {
  if constexpr (spec.config.lds == Lds::kPad) return chunk * kChunk;
  constexpr int kChunks = RowBytes(spec) / kChunk;
  constexpr int kRowsPerTurn = kChunks >= 8 ? 1 : 8 / kChunks;
  constexpr int kMask = (kChunks >= 8 ? 8 : kChunks) - 1;
  return (chunk ^ (row / kRowsPerTurn & kMask)) * kChunk;
}
template <Spec spec>
TK_DEVICE constexpr int SlotOfA(int stage, int row, int chunk) {
  constexpr int kStage = (spec.config.block_m + spec.config.block_n) * RowStride(spec);
  return stage * kStage + row * RowStride(spec) + SlotInRow<spec>(row, chunk);
}
template <Spec spec>
TK_DEVICE constexpr int SlotOfW(int stage, int row, int chunk) {
  return SlotOfA<spec>(stage, row, chunk) + spec.config.block_m * RowStride(spec);
}

template <Spec spec>
class TileLoader {
 public:
  TK_DEVICE TileLoader(const GemmArgs& args, const Place& place, char* lds)
      : lds_(lds), pitch_(args.k * kElement), end_(place.k_end * kElement) {
    const char* const a = static_cast<const char*>(args.a);
    const char* const w = static_cast<const char*>(args.w);
    const int rows = Smaller(args.m - place.m, spec.config.block_m);
    const int columns = Smaller(args.n - place.n, spec.config.block_n);
    a_ = MakeWindow(a + (long(BlockZ()) * args.m + place.m) * pitch_, rows * pitch_);
    w_ = MakeWindow(w + (long(BlockZ()) * args.n + place.n) * pitch_, columns * pitch_);
  }

  // Starts to load the tiles at element `k` of K. Elements beyond the end of the Place are zeros.
  TK_DEVICE void Fetch(int k) {
    TK_UNROLL
    for (int i = 0; i < kChunksA; ++i) from_a_[i] = LoadChunk(a_, OffsetOf(i, k));
    TK_UNROLL
    for (int i = 0; i < kChunksW; ++i) from_w_[i] = LoadChunk(w_, OffsetOf(i, k));
  }

  // Writes the tiles of the last Fetch to LDS.
  TK_DEVICE void Put(int stage) {
    TK_UNROLL
    for (int i = 0; i < kChunksA; ++i) {
      if (!IsMine(i, spec.config.block_m)) continue;
      WriteShared(lds_, SlotOfA<spec>(stage, RowOf(i), ChunkOf(i)), from_a_[i]);
    }
    TK_UNROLL
    for (int i = 0; i < kChunksW; ++i) {
      if (!IsMine(i, spec.config.block_n)) continue;
      WriteShared(lds_, SlotOfW<spec>(stage, RowOf(i), ChunkOf(i)), from_w_[i]);
    }
  }

 private:
  static constexpr int kElement = BytesOf(spec.element);
  static constexpr int kThreads = spec.config.threads;
  static constexpr int kChunksPerRow = RowBytes(spec) / kChunk;
  static constexpr int kOutside = 0x7ffffff0;  // beyond every window: see FitsWindow in catalog.cpp
  static constexpr int PerThread(int rows) {
    return (rows * kChunksPerRow + kThreads - 1) / kThreads;
  }
  static constexpr int kChunksA = PerThread(spec.config.block_m);
  static constexpr int kChunksW = PerThread(spec.config.block_n);

  TK_DEVICE static int Smaller(int x, int y) { return x < y ? x : y; }

  // The row and the chunk of a lane's load number i. Neighbouring lanes load neighbouring chunks.
  TK_DEVICE static int RowOf(int i) { return (ThreadIndex() + i * kThreads) / kChunksPerRow; }
  TK_DEVICE static int ChunkOf(int i) { return (ThreadIndex() + i * kThreads) % kChunksPerRow; }
  // If a tile has fewer chunks than the block has threads, whole waves have no chunk.
  TK_DEVICE static bool IsMine(int i, int rows) {
    return rows * kChunksPerRow % kThreads == 0 || RowOf(i) < rows;
  }

  TK_DEVICE int OffsetOf(int i, int k) const {
    const int within = k * kElement + ChunkOf(i) * kChunk;
    return within < end_ ? RowOf(i) * pitch_ + within : kOutside;
  }

  char* const lds_;
  const int pitch_, end_;
  Window a_, w_;
  Chunk from_a_[kChunksA], from_w_[kChunksW];
};

}  // namespace tunehub::kernels::amd
