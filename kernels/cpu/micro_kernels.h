// The micro-kernels of one build. A file isa_v*.cpp defines TK_ISA, TK_LANES and TK_TABLE and
// includes only this header. It is compiled with that ISA's flags.
#pragma once

#include "kernels/cpu/atoms.h"
#include "kernels/cpu/pack_rows.h"
#include "kernels/cpu/vector.h"

namespace tunehub::kernels::cpu {
namespace TK_ISA {

// Forced unrolling turns register indices into constants. Otherwise g++ 12 keeps the accumulators
// in memory, and the kernel has only a quarter of the speed.
template <typename Atom, int tile_m, int tile_v, int step>
static inline void Step(typename Atom::Sum (&sums)[tile_m][tile_v], const char* a,
                        const char* const (&w)[tile_v], const VectorF (&scales)[tile_v]) {
  typename Atom::Value weights[tile_v];
#pragma GCC unroll 8
  for (int v = 0; v < tile_v; ++v) weights[v] = Atom::template Weights<step>(w[v], scales[v]);
#pragma GCC unroll 16
  for (int row = 0; row < tile_m; ++row) {
    const auto value = Atom::Row(a + (step * tile_m + row) * 4);
#pragma GCC unroll 8
    for (int v = 0; v < tile_v; ++v) sums[row][v] = Atom::Add(sums[row][v], value, weights[v]);
  }
}

template <typename Sum, int tile_m, int tile_v>
static inline void LoadSums(Sum (&sums)[tile_m][tile_v], const char* from, bool accumulate) {
#pragma GCC unroll 16
  for (int row = 0; row < tile_m; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < tile_v; ++v) {
      sums[row][v] = accumulate ? Load<Sum>(from + (row * tile_v + v) * kLanes * 4) : Sum{};
    }
  }
}

template <typename Sum, int tile_m, int tile_v>
static inline void SaveSums(const Sum (&sums)[tile_m][tile_v], char* to) {
#pragma GCC unroll 16
  for (int row = 0; row < tile_m; ++row) {
#pragma GCC unroll 8
    for (int v = 0; v < tile_v; ++v) Save(to + (row * tile_v + v) * kLanes * 4, sums[row][v]);
  }
}

// The scales of one block of K. The scales of the next panel are `stride` elements further.
template <typename Atom, int tile_v>
static inline void LoadScales(VectorF (&scales)[tile_v], const float* from, std::size_t stride) {
#pragma GCC unroll 8
  for (int v = 0; v < tile_v; ++v) {
    const float* const of_panel = from + static_cast<std::size_t>(v) * stride;
    scales[v] = Atom::kLayout.lane_scales ? Load<VectorF>(of_panel) : Broadcast(*of_panel);
  }
}

template <typename Atom, int tile_m, int tile_v>
static void RunTile(const TileArgs& args) {
  constexpr Layout kLayout = Atom::kLayout;
  constexpr std::size_t kABytes = static_cast<std::size_t>(kLayout.a_group_bytes) * tile_m;
  constexpr std::size_t kWBytes = static_cast<std::size_t>(kLayout.w_group_bytes) * kLanes;
  typename Atom::Sum sums[tile_m][tile_v];
  LoadSums(sums, static_cast<const char*>(args.sums), args.accumulate);
  const char* a = static_cast<const char*>(args.a);
  const char* w[tile_v];
#pragma GCC unroll 8
  for (int v = 0; v < tile_v; ++v) {
    w[v] = static_cast<const char*>(args.w) + static_cast<std::size_t>(v) * args.panel_bytes;
  }
  constexpr int kGroupsPerScale = kLayout.k_per_scale / kLayout.group;
  const int block = kGroupsPerScale == 0 ? args.groups : kGroupsPerScale;
  const float* scale = args.w_scale;
  for (int done = 0; done < args.groups; done += block) {
    VectorF scales[tile_v] = {};
    if constexpr (kGroupsPerScale != 0) {
      LoadScales<Atom>(scales, scale, args.scale_stride);
      scale += kLayout.lane_scales ? kLanes : 1;
    }
    for (int group = 0; group < block; ++group) {
      Step<Atom, tile_m, tile_v, 0>(sums, a, w, scales);
      if constexpr (Atom::kSteps == 2) Step<Atom, tile_m, tile_v, 1>(sums, a, w, scales);
      a += kABytes;
#pragma GCC unroll 8
      for (int v = 0; v < tile_v; ++v) w[v] += kWBytes;
    }
  }
  SaveSums(sums, static_cast<char*>(args.sums));
}

// One vector of the output: the sum over all slices, scaled.
template <typename Atom>
static inline VectorF Finished(const StoreArgs& args, int row, int column) {
  const char* sums =
      static_cast<const char*>(args.sums) + static_cast<std::size_t>(row * args.width + column) * 4;
  using Sum = typename Atom::Sum;
  Sum sum = Load<Sum>(sums);
  for (int slice = 1; slice < args.slices; ++slice) {
    sums += args.slice_stride;
    sum += Load<Sum>(sums);
  }
  if constexpr (Atom::kLayout.wants_column_sums) {
    sum -= Load<VectorI>(args.column_sum + column) * 128;
  }
  VectorF values = __builtin_convertvector(sum, VectorF);
  if (args.row_scale != nullptr) values *= args.row_scale[row];
  if (args.column_scale != nullptr) values *= Load<VectorF>(args.column_scale + column);
  return values;
}

template <typename Atom>
static void StoreTile(const StoreArgs& args) {
  for (int row = 0; row < args.rows; ++row) {
    for (int column = 0; column < args.columns; column += kLanes) {
      const VectorF values = Finished<Atom>(args, row, column);
      const std::size_t at =
          static_cast<std::size_t>(row) * args.out_stride + static_cast<std::size_t>(column);
      const int existing = args.columns - column < kLanes ? args.columns - column : kLanes;
      const std::size_t count = static_cast<std::size_t>(existing);
      if (args.out_f32) {
        std::memcpy(static_cast<float*>(args.out) + at, &values, count * 4);
      } else if (existing == kLanes) {
        SaveBf16(static_cast<std::uint16_t*>(args.out) + at, values);
      } else {
        std::uint16_t rounded[kLanes];
        SaveBf16(rounded, values);
        std::memcpy(static_cast<std::uint16_t*>(args.out) + at, rounded, count * 2);
      }
    }
  }
}

// True if the accumulators, a group's weights, a row's value and one product fit into the
// registers.
constexpr bool Fits(int tile_m, int tile_v) {
  return tile_m * tile_v + tile_v + 2 <= kRegisters;
}
template <typename Atom, int tile_m, int tile_v>
constexpr TileFunction FunctionOf() {
  if constexpr (Fits(tile_m, tile_v)) {
    return &RunTile<Atom, tile_m, tile_v>;
  } else {
    return nullptr;
  }
}

template <typename Atom>
struct TilesOf {
#define TK_TILE(m, v) {m, v, FunctionOf<Atom, m, v>()},
  static constexpr Tile kTiles[] = {
#include "kernels/cpu/table/tiles.inc"
  };
#undef TK_TILE
};

template <typename Atom>
constexpr KindTable TableOf(PackFunction pack) {
  return {Atom::kLayout, pack, &StoreTile<Atom>, TilesOf<Atom>::kTiles,
          static_cast<int>(sizeof TilesOf<Atom>::kTiles / sizeof(Tile))};
}

}  // namespace TK_ISA

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): only StoreTile is not constexpr
extern const IsaTable TK_TABLE = {TK_ISA::kLanes,
                                  {TK_ISA::TableOf<TK_ISA::AtomI8>(&TK_ISA::PackI8),
                                   TK_ISA::TableOf<TK_ISA::AtomBf16>(&TK_ISA::PackBf16),
                                   TK_ISA::TableOf<TK_ISA::AtomE4m3>(&TK_ISA::PackE4m3),
                                   TK_ISA::TableOf<TK_ISA::AtomE2m1>(&TK_ISA::PackE2m1)}};

}  // namespace tunehub::kernels::cpu
