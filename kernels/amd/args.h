// The argument blocks of the AMD kernels. The host writes them, and the device reads the same
// bytes.
#pragma once

#include <cstdint>

namespace tunehub::kernels::amd {

enum class Out : std::int32_t {
  kBf16,
  kF32,
  kPartial,  // sums of one slice of K, int32 or float32, without row and column scales
};

// One GEMM: out[b] = a[b] . w[b]^T. Dimensions count elements. All matrices are row-major without
// gaps. Their addresses are aligned to 16 bytes.
struct GemmArgs {
  const void* a;         // [batch][m][k]
  const void* w;         // [batch][n][k]
  const float* a_scale;  // null, [batch][m] or [batch][m][ceil(k / 128)], as `scales` says
  const float* w_scale;  // null; [batch][n]; [batch][ceil(n / 128)][ceil(k / 128)]
  void* out;             // [batch][m][n]; kPartial: [slices][batch][m][n]
  std::int32_t m;
  std::int32_t n;        // a multiple of 4
  std::int32_t k;        // a row of k elements must be a multiple of 16 bytes
  std::int32_t k_slice;  // elements of K per block: a multiple of the config's block_k
  std::int32_t group_m;  // rows of tiles in a band (tile_order.h), at least 1
  std::int32_t xcds;     // number of dies with their own L2 cache, at least 1
  Out out_kind;
  std::int32_t batch;
};
// The dimensions of a GEMM's launch: x: tiles; y: slices of K; z: batch.

// Adds the sums of all slices of K, then scales and rounds them.
struct ReduceArgs {
  const void* partial;   // [slices][batch][m][n], int32 or float32
  const float* a_scale;  // [batch][m], or null
  const float* w_scale;  // [batch][n], or null
  void* out;             // [batch][m][n]
  std::int32_t m, n;
  std::int32_t slices, batch;
  Out out_kind;  // kBf16 or kF32
  std::int32_t unused;
};
// The dimensions of a reduction's launch: x: ceil(m * n / kReduceThreads); z: batch.
inline constexpr int kReduceThreads = 256;

static_assert(sizeof(GemmArgs) == 72 && sizeof(ReduceArgs) == 56);

}  // namespace tunehub::kernels::amd
