// The loops around the micro-kernels: threads, blocks, split-K.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/config.h"
#include "kernels/cpu/packed_weights.h"
#include "kernels/thread_pool.h"

namespace tunehub::kernels::cpu {

// The most slices of a split K. With more slices, adding their sums costs more time than the slices
// save.
inline constexpr int kMaxSplitK = 16;
// K is cut at multiples of this unit. It is a multiple of the widest scale block and of every
// group.
inline constexpr int kSliceUnit = 128;

// The operands of one matrix of a batch.
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

// The tile's function in this build; null if the build lacks the tile or has too few registers.
TileFunction TileFunctionOf(Isa isa, Kind kind, int tile_m, int tile_v);

// Owns threads and working memory. Both grow to the need of the largest call.
class GemmRunner {
 public:
  // Cuts K into `split_k` slices; 0 means 1. Precondition: TileFunctionOf(config's tile) is not
  // null.
  void Run(const GemmCall& call, const Config& config, int split_k);

  ThreadPool& Pool(int threads);

 private:
  std::map<int, std::unique_ptr<ThreadPool>> pools_;  // by their number of threads
  Buffer rows_, partial_;
  std::vector<Buffer> block_sums_;  // one for each thread
};

struct Range {
  int begin = 0, end = 0;
};

// Returns part number `index` of the range 0..count, which is divided into `parts` parts.
Range PartOf(long count, int index, int parts);

// One call, with the data that its tiles share.
class Gemm {
 public:
  Gemm(const GemmCall& call, const Config& config, int split_k);

  // The memory that Work needs: RowBytes and PartialBytes in total, BlockBytes for each thread.
  std::size_t RowBytes() const;
  std::size_t PartialBytes() const;
  std::size_t BlockBytes() const;

  void Work(int thread, Barrier& barrier, std::byte* rows, std::byte* partial,
            std::byte* block_sums) const;

 private:
  struct Place {  // tiles of one matrix and slice
    int batch, slice;
    Range tiles, groups;
  };

  std::size_t batch() const { return call_.batch.size(); }
  int BlockTiles() const;
  int BlockGroups() const;
  Range KOf(int slice) const;

  void PackRows(int thread, std::byte* rows) const;
  void Compute(const Place& place, const std::byte* rows, std::byte* partial,
               std::byte* block_sums) const;
  void ComputeBlock(const Place& block, Range k, const std::byte* rows, std::byte* partial,
                    std::byte* block_sums) const;
  // Adds part `part` of slice `k` to a tile's sums.
  void ComputeTile(const Place& block, int tile, int group, Range k, Range part,
                   const std::byte* rows, std::byte* partial, std::byte* block_sums) const;
  void RunTile(const Place& block, int tile, int group, Range k, bool accumulate,
               const std::byte* rows, void* sums) const;
  void Store(int batch, int tile, int group, const void* sums, int slices) const;
  std::byte* PartialOf(std::byte* partial, int slice, int batch_index, int tile, int group) const;

  const GemmCall& call_;
  const Config& config_;
  const Kind kind_;
  const KindTable& table_;
  const TileFunction tile_;
  const int lanes_, slices_, tiles_, groups_, width_, k_padded_;
  std::size_t sum_bytes_ = 0, tile_bytes_ = 0;
};

}  // namespace tunehub::kernels::cpu
