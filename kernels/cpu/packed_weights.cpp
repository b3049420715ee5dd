#include "kernels/cpu/packed_weights.h"

#include <array>
#include <cstring>

namespace tunehub::kernels::cpu {
namespace {

constexpr int kWidestTile = 4;  // in vectors: the maximum in table/tiles.inc

int RoundUp(int value, int unit) {
  return CeilDivide(value, unit) * unit;
}

// Copies one row of W into its lane of a panel.
template <std::size_t bytes>
void SpreadRow(const std::byte* row, std::size_t groups, std::size_t stride, std::byte* out) {
  for (std::size_t group = 0; group < groups; ++group) {
    std::memcpy(out + group * stride, row + group * bytes, bytes);
  }
}

void Spread(std::size_t group_bytes, const std::byte* row, std::size_t groups, std::size_t stride,
            std::byte* out) {
  switch (group_bytes) {
    case 1:
      return SpreadRow<1>(row, groups, stride, out);
    case 2:
      return SpreadRow<2>(row, groups, stride, out);
    default:
      return SpreadRow<4>(row, groups, stride, out);
  }
}

}  // namespace

Kind KindOf(Format weights) {
  switch (weights) {
    case Format::kInt8:
      return Kind::kI8;
    case Format::kE4m3:
      return Kind::kE4m3;
    case Format::kE2m1:
      return Kind::kE2m1;
    case Format::kE4m3Fnuz:  // only for GPUs
    case Format::kBf16:
    case Format::kF32:
      break;
  }
  return Kind::kBf16;
}

const KindTable& TableOf(Isa isa, Kind kind) {
  static constexpr std::array<const IsaTable*, 3> kTables = {&kTableV2, &kTableV3, &kTableV4};
  return kTables[static_cast<std::size_t>(isa)]->kinds[static_cast<std::size_t>(kind)];
}

int LanesOf(Isa isa) {
  static constexpr std::array<const IsaTable*, 3> kTables = {&kTableV2, &kTableV3, &kTableV4};
  return kTables[static_cast<std::size_t>(isa)]->lanes;
}

PackedWeights::PackedWeights(Isa isa, Format format, Scaling scaling, int n, int k,
                             const RawWeights& raw)
    : n_(n), k_(k) {
  const Layout& layout = TableOf(isa, KindOf(format)).layout;
  const int lanes = LanesOf(isa);
  k_padded_ = RoundUp(k, layout.k_unit);
  panels_ = CeilDivide(n, lanes);
  const std::size_t group_bytes = U(layout.w_group_bytes), stride = group_bytes * U(lanes);
  panel_bytes_ = U(k_padded_ / layout.group) * stride;
  data_ = Buffer(U(panels_ + kWidestTile - 1) * panel_bytes_);
  const std::size_t row_bytes = BytesOf(format, U(k));
  const std::size_t whole = row_bytes / group_bytes, rest = row_bytes % group_bytes;
  for (int column = 0; column < n; ++column) {
    const auto* const row = static_cast<const std::byte*>(raw.w) + U(column) * row_bytes;
    std::byte* const out =
        data_.data() + U(column / lanes) * panel_bytes_ + U(column % lanes) * group_bytes;
    Spread(group_bytes, row, whole, stride, out);
    if (rest != 0) std::memcpy(out + whole * stride, row + whole * group_bytes, rest);
  }
  if (layout.wants_column_sums) {
    column_sums_ = Buffer(U(panels_ + kWidestTile) * U(lanes) * 4);
    for (int column = 0; column < n; ++column) {
      const auto* const row = static_cast<const std::int8_t*>(raw.w) + U(column) * row_bytes;
      std::int32_t sum = 0;
      for (int i = 0; i < k; ++i) sum += row[i];
      column_sums_.as<std::int32_t>()[column] = sum;
    }
  }
  PackScales(layout, scaling, lanes, raw.scale);
}

void PackedWeights::PackScales(const Layout& layout, Scaling scaling, int lanes, const void* raw) {
  if (scaling == Scaling::kRowColumn) {
    column_scales_ = Buffer(U(panels_ + kWidestTile) * U(lanes) * 4);
    std::memcpy(column_scales_.data(), raw, U(n_) * 4);
  }
  if (layout.k_per_scale == 0) return;
  const int blocks = k_padded_ / layout.k_per_scale;
  const int per_block = layout.lane_scales ? lanes : 1;
  scale_stride_ = U(blocks) * U(per_block);
  scales_ = Buffer(U(panels_ + kWidestTile - 1) * scale_stride_ * 4);
  const int raw_blocks = CeilDivide(k_, layout.k_per_scale);
  const auto scale_of = [&](int column, int block) {
    switch (scaling) {
      case Scaling::kBlock128:
        return static_cast<const float*>(raw)[U(column / 128) * U(raw_blocks) + U(block)];
      case Scaling::kMx32:
        return FromE8m0(
            static_cast<const std::uint8_t*>(raw)[U(column) * U(raw_blocks) + U(block)]);
      case Scaling::kNone:
      case Scaling::kRowColumn:
        break;
    }
    return 1.0F;
  };
  // A panel is within one 128-wide block, because its number of lanes divides 128.
  for (int panel = 0; panel < panels_; ++panel) {
    for (int block = 0; block < raw_blocks; ++block) {
      float* const out = scales_.as<float>() + U(panel) * scale_stride_ + U(block * per_block);
      for (int lane = 0; lane < per_block && panel * lanes + lane < n_; ++lane) {
        out[lane] = scale_of(panel * lanes + lane, block) * layout.weight_factor;
      }
    }
  }
}

PackedWeights PackedWeights::Copy() const {
  PackedWeights copy;
  copy.n_ = n_;
  copy.k_ = k_;
  copy.k_padded_ = k_padded_;
  copy.panels_ = panels_;
  copy.panel_bytes_ = panel_bytes_;
  copy.scale_stride_ = scale_stride_;
  copy.data_ = data_.Copy();
  copy.scales_ = scales_.Copy();
  copy.column_scales_ = column_scales_.Copy();
  copy.column_sums_ = column_sums_.Copy();
  return copy;
}

}  // namespace tunehub::kernels::cpu
