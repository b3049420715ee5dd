// What an instance's tile makes of its block: threads, and where everything lies in shared memory.
// The same to host and device.
#pragma once

namespace tunehub::kernels::nvidia {

inline constexpr int kRowBytes = 128;  // of a tile: what the widest swizzle covers
inline constexpr int kWarpgroup = 128;
inline constexpr int kChunk = 64;  // columns of output that are stored at a time
inline constexpr int kChunkBytes = 64 * kChunk * 2;
inline constexpr int kMaxSharedBytes = 227 * 1024;

struct GemmLayout {
  int block_m, block_n, stages;
  bool block_scales;

  // One warpgroup copies, one or two multiply: each of 64 rows, or of twice 64.
  constexpr int math_groups() const { return block_m == 64 ? 1 : 2; }
  constexpr int math_threads() const { return math_groups() * kWarpgroup; }
  constexpr int threads() const { return math_threads() + kWarpgroup; }
  constexpr int waves() const { return block_m / 64 / math_groups(); }

  constexpr int a_bytes() const { return block_m * kRowBytes; }
  constexpr int w_bytes() const { return block_n * kRowBytes; }
  constexpr int scale_words() const { return block_scales ? block_m + block_n / 64 : 0; }
  constexpr int w_at() const { return stages * a_bytes(); }
  constexpr int chunks_at() const { return w_at() + stages * w_bytes(); }
  constexpr int after_chunks(int chunks) const {
    return chunks_at() + math_groups() * chunks * kChunkBytes;
  }
  constexpr int rest_bytes() const { return stages * (4 * scale_words() + 16) + 16; }
  // Chunks that a warpgroup may have on their way: two where there is room.
  constexpr int chunks() const { return after_chunks(2) + rest_bytes() <= kMaxSharedBytes ? 2 : 1; }
  constexpr int barriers_at() const { return after_chunks(chunks()); }
  constexpr int flag_at() const { return barriers_at() + 16 * stages; }
  constexpr int scales_at() const { return flag_at() + 16; }
  constexpr int bytes() const { return scales_at() + stages * 4 * scale_words(); }
};

}  // namespace tunehub::kernels::nvidia
