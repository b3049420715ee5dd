// The loops around the micro-kernels: threads, blocks, split-K.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/config.h"
#include "kernels/cpu/packed_weights.h"
#include "kernels/thread_pool.h"

namespace tunehub::kernels::cpu {

// The most slices that a split-K may have; beyond, adding them up costs more than it gives.
inline constexpr int kMaxSplitK = 16;
// K is cut at multiples of this: the widest scale block and every group fit.
inline constexpr int kSliceUnit = 128;

// One matrix of a batch.
struct GemmOperands {
  const void* a;        // m x k, row-major
  const void* a_scale;  // float32 [m]; float32 [m][ceil(k / 128)]; e8m0 [m][k / 32]; null: none
  const PackedWeights* w;
  void* out;  // m x n, row-major
};

struct GemmCall {
  Isa isa = Isa::kV2;
  Format a = Format::kBf16, out = Format::kBf16;
  Scaling scaling = Scaling::kNone;
  int m = 0, n = 0, k = 0;
  std::vector<GemmOperands> batch;
};

// The tile's function in this build; null where it has not the registers, or no such tile.
TileFunction TileFunctionOf(Isa isa, Kind kind, int tile_m, int tile_v);

// Holds threads and working memory, which grow to what the largest call needed.
class GemmRunner {
 public:
  // `split_k` slices of K, 0 or 1: one. Precondition: TileFunctionOf(config's tile).
  void Run(const GemmCall& call, const Config& config, int split_k);

  ThreadPool& Pool(int threads);

 private:
  std::map<int, std::unique_ptr<ThreadPool>> pools_;  // by their number of threads
  Buffer rows_, partial_;
  std::vector<Buffer> block_sums_;  // by thread
};

}  // namespace tunehub::kernels::cpu
