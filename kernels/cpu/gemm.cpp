#include "kernels/cpu/gemm.h"

#include <algorithm>

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

Range PartOf(long count, int index, int parts) {
  return {static_cast<int>(count * index / parts), static_cast<int>(count * (index + 1) / parts)};
}

Gemm::Gemm(const GemmCall& call, const Config& config, int split_k)
    : call_(call),
      config_(config),
      kind_(KindOf(call.a)),
      table_(TableOf(call.isa, kind_)),
      tile_(TileFunctionOf(call.isa, kind_, config.tile_m, config.tile_v)),
      lanes_(LanesOf(call.isa)),
      slices_(std::max(split_k, 1)),
      tiles_(CeilDivide(call.m, config.tile_m)),
      groups_(CeilDivide(call.batch.front().w->panels(), config.tile_v)),
      width_(config.tile_v * lanes_),
      k_padded_(call.batch.front().w->k_padded()) {
  sum_bytes_ = U(config.tile_m) * U(width_) * 4;
  tile_bytes_ =
      U(k_padded_ / table_.layout.group) * U(table_.layout.a_group_bytes) * U(config.tile_m);
}

std::size_t Gemm::RowBytes() const {
  return batch() * U(tiles_) * tile_bytes_;
}

std::size_t Gemm::PartialBytes() const {
  return slices_ == 1 ? 0 : U(slices_) * batch() * U(tiles_) * U(groups_) * sum_bytes_;
}

std::size_t Gemm::BlockBytes() const {
  return U(BlockTiles()) * U(BlockGroups()) * sum_bytes_;
}

int Gemm::BlockTiles() const {
  return config_.block_m == 0 ? tiles_ : std::clamp(config_.block_m / config_.tile_m, 1, tiles_);
}

int Gemm::BlockGroups() const {
  return config_.block_n == 0 ? groups_ : std::clamp(config_.block_n / width_, 1, groups_);
}

Range Gemm::KOf(int slice) const {
  const Range part = PartOf(CeilDivide(k_padded_, kSliceUnit), slice, slices_);
  return {std::min(part.begin * kSliceUnit, k_padded_), std::min(part.end * kSliceUnit, k_padded_)};
}

std::byte* Gemm::PartialOf(std::byte* partial, int slice, int batch_index, int tile,
                           int group) const {
  const std::size_t index =
      ((U(slice) * batch() + U(batch_index)) * U(tiles_) + U(tile)) * U(groups_) + U(group);
  return partial + index * sum_bytes_;
}

void Gemm::Work(int thread, Barrier& barrier, std::byte* rows, std::byte* partial,
                std::byte* block_sums) const {
  PackRows(thread, rows);
  barrier.Wait();
  const bool by_columns = config_.share == Share::kColumns;
  const int shared = by_columns ? groups_ : tiles_;
  const int places = static_cast<int>(batch()) * slices_;
  const Range mine = PartOf(static_cast<long>(places) * shared, thread, config_.threads);
  for (int at = mine.begin; at < mine.end;) {
    const int place = at / shared, first = at % shared;
    const int last = std::min(shared, first + mine.end - at);
    const Range part = {first, last}, tiles = {0, tiles_}, groups = {0, groups_};
    Compute({place % static_cast<int>(batch()), place / static_cast<int>(batch()),
             by_columns ? tiles : part, by_columns ? part : groups},
            rows, partial, block_sums);
    at += last - first;
  }
  if (slices_ == 1) return;
  barrier.Wait();
  const Range sums = PartOf(static_cast<long>(batch()) * tiles_ * groups_, thread, config_.threads);
  for (int i = sums.begin; i < sums.end; ++i) {
    const int group = i % groups_, tile = i / groups_ % tiles_, index = i / groups_ / tiles_;
    Store(index, tile, group, PartialOf(partial, 0, index, tile, group), slices_);
  }
}

void Gemm::PackRows(int thread, std::byte* rows) const {
  const Range mine = PartOf(static_cast<long>(batch()) * tiles_, thread, config_.threads);
  const bool folds_scale = call_.scaling == Scaling::kBlock128 || call_.scaling == Scaling::kMx32;
  const int k_per_scale = std::max(table_.layout.k_per_scale, 1);
  const std::size_t scale_stride = U(CeilDivide(call_.k, k_per_scale));
  const std::size_t scale_bytes = call_.scaling == Scaling::kMx32 ? 1 : 4;
  const std::size_t row_bytes = BytesOf(call_.a, U(call_.k));
  for (int i = mine.begin; i < mine.end; ++i) {
    const auto& operands = call_.batch[U(i / tiles_)];
    const int row = i % tiles_ * config_.tile_m;
    PackArgs args = {};
    args.a = static_cast<const std::byte*>(operands.a) + U(row) * row_bytes;
    args.a_row_bytes = row_bytes;
    if (folds_scale) {
      args.a_scale =
          static_cast<const std::byte*>(operands.a_scale) + U(row) * scale_stride * scale_bytes;
      args.a_scale_stride = scale_stride;
    }
    args.rows = std::min(config_.tile_m, call_.m - row);
    args.tile_m = config_.tile_m;
    args.k = call_.k;
    args.k_padded = k_padded_;
    args.out = rows + U(i) * tile_bytes_;
    table_.pack(args);
  }
}

void Gemm::Compute(const Place& place, const std::byte* rows, std::byte* partial,
                   std::byte* block_sums) const {
  const Range k = KOf(place.slice);
  const int block_tiles = BlockTiles(), block_groups = BlockGroups();
  // Columns are the outer loop, so that weights are read from memory once. Rereading rows is cheap.
  for (int group = place.groups.begin; group < place.groups.end; group += block_groups) {
    for (int tile = place.tiles.begin; tile < place.tiles.end; tile += block_tiles) {
      ComputeBlock({place.batch,
                    place.slice,
                    {tile, std::min(tile + block_tiles, place.tiles.end)},
                    {group, std::min(group + block_groups, place.groups.end)}},
                   k, rows, partial, block_sums);
    }
  }
}

void Gemm::ComputeBlock(const Place& block, Range k, const std::byte* rows, std::byte* partial,
                        std::byte* block_sums) const {
  const int block_k = config_.block_k == 0 ? std::max(k.end - k.begin, 1) : config_.block_k;
  const bool by_columns = config_.order == Order::kColumnsOuter;
  const Range outer = by_columns ? block.groups : block.tiles;
  const Range inner = by_columns ? block.tiles : block.groups;
  int from = k.begin;
  do {  // also runs once for an empty slice, whose sums are zero
    const Range part = {from, std::min(from + block_k, k.end)};
    for (int i = outer.begin; i < outer.end; ++i) {
      for (int j = inner.begin; j < inner.end; ++j) {
        ComputeTile(block, by_columns ? j : i, by_columns ? i : j, k, part, rows, partial,
                    block_sums);
      }
    }
    from = part.end;
  } while (from < k.end);
}

void Gemm::ComputeTile(const Place& block, int tile, int group, Range k, Range part,
                       const std::byte* rows, std::byte* partial, std::byte* block_sums) const {
  const bool first = part.begin == k.begin, last = part.end == k.end;
  if (slices_ > 1) {
    RunTile(block, tile, group, part, !first, rows,
            PartialOf(partial, block.slice, block.batch, tile, group));
    return;
  }
  // If one part covers all of K, its sums are stored immediately, so all tiles can use the first
  // slot.
  const std::size_t index =
      first && last ? 0
                    : U(tile - block.tiles.begin) * U(block.groups.end - block.groups.begin) +
                          U(group - block.groups.begin);
  std::byte* const sums = block_sums + index * sum_bytes_;
  RunTile(block, tile, group, part, !first, rows, sums);
  if (last) Store(block.batch, tile, group, sums, 1);
}

void Gemm::RunTile(const Place& block, int tile, int group, Range k, bool accumulate,
                   const std::byte* rows, void* sums) const {
  const auto& layout = table_.layout;
  const auto& weights = *call_.batch[U(block.batch)].w;
  const int panel = group * config_.tile_v;
  const std::size_t first = U(k.begin / layout.group);
  TileArgs args = {};
  args.a = rows + (U(block.batch) * U(tiles_) + U(tile)) * tile_bytes_ +
           first * U(layout.a_group_bytes) * U(config_.tile_m);
  args.w = weights.data() + U(panel) * weights.panel_bytes() +
           first * U(layout.w_group_bytes) * U(lanes_);
  args.panel_bytes = weights.panel_bytes();
  if (layout.k_per_scale != 0) {
    const int per_block = layout.lane_scales ? lanes_ : 1;
    args.w_scale = weights.scales() + U(panel) * weights.scale_stride() +
                   U(k.begin / layout.k_per_scale * per_block);
    args.scale_stride = weights.scale_stride();
  }
  args.groups = (k.end - k.begin) / layout.group;
  args.sums = sums;
  args.accumulate = accumulate;
  tile_(args);
}

void Gemm::Store(int batch_index, int tile, int group, const void* sums, int slices) const {
  const auto& operands = call_.batch[U(batch_index)];
  const int row = tile * config_.tile_m, column = group * width_;
  StoreArgs args = {};
  args.sums = sums;
  args.slices = slices;
  args.slice_stride = batch() * U(tiles_) * U(groups_) * sum_bytes_;
  args.rows = std::min(config_.tile_m, call_.m - row);
  args.columns = std::min(width_, call_.n - column);
  args.width = width_;
  if (call_.scaling == Scaling::kRowColumn) {
    args.row_scale = static_cast<const float*>(operands.a_scale) + row;
    args.column_scale = operands.w->column_scales() + column;
  }
  if (table_.layout.wants_column_sums) args.column_sum = operands.w->column_sums() + column;
  args.out_f32 = call_.out == Format::kF32;
  args.out_stride = U(call_.n);
  args.out = static_cast<std::byte*>(operands.out) +
             (U(row) * U(call_.n) + U(column)) * BytesOf(call_.out, 1);
  table_.store(args);
}

}  // namespace tunehub::kernels::cpu
