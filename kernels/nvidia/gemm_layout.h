// Computes a block's threads and its layout of shared memory from the instance's tile. Host and
// device use the same code.
#pragma once

namespace tunehub::kernels::nvidia {

inline constexpr int kRowBytes = 128;  // bytes of a tile's row: the width of the widest swizzle
inline constexpr int kWarpgroup = 128;
inline constexpr int kChunk = 64;  // columns of output per store
// most slices of K: one per block of a cluster; all devices run clusters of 8
inline constexpr int kMostSlices = 8;
inline constexpr int kMaxSharedBytes = 227 * 1024;
inline constexpr int kSharedOfProcessor = 228 * 1024, kSharedKeptByBlock = 1024;

struct GemmLayout {
  int block_m, block_n, stages;
  bool block_scales;
  // true: the tensor cores' 64 rows are rows of W, and their columns are rows of A
  bool transposed = false;

  constexpr int tall() const { return transposed ? block_n : block_m; }
  constexpr int wide() const { return transposed ? block_m : block_n; }
  // The number of warpgroups that multiply; each computes 64 or 128 rows. (One more warpgroup
  // copies.)
  constexpr int math_groups() const { return tall() == 64 ? 1 : 2; }
  constexpr int math_threads() const { return math_groups() * kWarpgroup; }
  constexpr int threads() const { return math_threads() + kWarpgroup; }
  constexpr int waves() const { return tall() / 64 / math_groups(); }

  constexpr int a_bytes() const { return block_m * kRowBytes; }
  constexpr int w_bytes() const { return block_n * kRowBytes; }
  constexpr int scale_words() const { return block_scales ? block_m + block_n / 64 : 0; }
  constexpr int w_at() const { return stages * a_bytes(); }
  constexpr int chunks_at() const { return w_at() + stages * w_bytes(); }
  // The rows of the output that one store writes.
  constexpr int chunk_rows() const { return block_m < 64 ? block_m : 64; }
  constexpr int chunk_bytes() const { return chunk_rows() * kChunk * 2; }
  constexpr int after_chunks(int chunks) const {
    return chunks_at() + math_groups() * chunks * chunk_bytes();
  }
  constexpr int rest_bytes() const { return stages * (4 * scale_words() + 16); }
  // The number of chunks that a warpgroup may store at the same time: two if they fit and a row has
  // several chunks.
  constexpr int chunks() const {
    return !transposed && after_chunks(2) + rest_bytes() <= kMaxSharedBytes ? 2 : 1;
  }
  constexpr int barriers_at() const { return after_chunks(chunks()); }
  constexpr int scales_at() const { return barriers_at() + 16 * stages; }
  constexpr int bytes() const { return scales_at() + stages * 4 * scale_words(); }
  // The blocks that run on a multiprocessor at the same time: two if the sums leave enough
  // registers.
  constexpr int blocks() const {
    const bool few_sums = waves() * wide() / 2 <= 32;
    return few_sums && 2 * (bytes() + kSharedKeptByBlock) <= kSharedOfProcessor ? 2 : 1;
  }
};

}  // namespace tunehub::kernels::nvidia
