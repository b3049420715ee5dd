// One GEMM call cut into what its threads do: packing rows, blocks of tiles, and adding up slices.
#pragma once

#include <cstddef>

#include "kernels/cpu/gemm.h"

namespace tunehub::kernels::cpu {

struct Range {
  int begin = 0, end = 0;
};

// The part of 0..count that falls to `index` of `parts`.
Range PartOf(long count, int index, int parts);

// One call, with everything that is the same for all its tiles.
class Gemm {
 public:
  Gemm(const GemmCall& call, const Config& config, int split_k);

  // Memory that Work needs: for all threads, for all threads, and for each.
  std::size_t RowBytes() const;
  std::size_t PartialBytes() const;
  std::size_t BlockBytes() const;

  void Work(int thread, Barrier& barrier, std::byte* rows, std::byte* partial,
            std::byte* block_sums) const;

 private:
  struct Place {  // what a thread works on without a change of operands
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
  // The part `part` of the slice `k`.
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
