#include "kernels/cpu/gemm.h"

#include <algorithm>

#include "kernels/buffer.h"
#include "kernels/cpu/gemm_work.h"

namespace tunehub::kernels::cpu {

TileFunction TileFunctionOf(Isa isa, Kind kind, int tile_m, int tile_v) {
  const auto& table = TableOf(isa, kind);
  for (int i = 0; i < table.tile_count; ++i) {
    if (table.tiles[i].tile_m == tile_m && table.tiles[i].tile_v == tile_v) {
      return table.tiles[i].function;
    }
  }
  return nullptr;
}

ThreadPool& GemmRunner::Pool(int threads) {
  auto& pool = pools_[threads];
  if (!pool) pool = std::make_unique<ThreadPool>(threads);
  return *pool;
}

void GemmRunner::Run(const GemmCall& call, const Config& config, int split_k) {
  const Gemm gemm(call, config, split_k);
  rows_.Reserve(gemm.RowBytes());
  partial_.Reserve(gemm.PartialBytes());
  block_sums_.resize(std::max(block_sums_.size(), U(config.threads)));
  for (auto& sums : block_sums_) sums.Reserve(gemm.BlockBytes());
  Barrier barrier(config.threads);
  Pool(config.threads).Run([&](int thread) {
    gemm.Work(thread, barrier, rows_.data(), partial_.data(), block_sums_[U(thread)].data());
  });
}

}  // namespace tunehub::kernels::cpu
