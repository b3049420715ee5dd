// The table of micro-kernels of one build, for the loops around them. There is one build per ISA.
// The table contains plain function pointers. This header must contain no code. If builds shared an
// inline function, the linker could keep the version for a newer CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tunehub::kernels::cpu {

// The operand formats that have micro-kernels.
enum class Kind { kI8, kBf16, kE4m3, kE2m1 };
inline constexpr int kKinds = 4;

// Packed weights: panels of `lanes` columns. A panel contains the bytes of each column, group of K
// by group of K. Packed activations: tiles of tile_m rows. A tile contains the bytes of each row,
// group of K by group of K.
struct Layout {
  int group = 1;                   // consecutive values of K that are stored together
  int a_group_bytes = 0;           // bytes of one row's group
  int w_group_bytes = 0;           // bytes of one column's group
  int k_unit = 1;                  // K is padded with zeros to a multiple of this
  int k_per_scale = 0;             // values of K per weight scale; 0: no scales in the loop
  bool lane_scales = false;        // true: a scale per column; false: a scale per panel
  bool wants_column_sums = false;  // A is stored as a + 128; Store subtracts 128 * column sum
  float weight_factor = 1;         // multiplies every weight scale
};

struct PackArgs {
  const void* a;  // row-major
  std::size_t a_row_bytes;
  // scales of the row's blocks of K, by which packing multiplies; null: none
  const void* a_scale;
  std::size_t a_scale_stride;  // elements from a row's scales to the next row's
  int rows;                    // rows that exist; the rest of the tile is zero
  int tile_m;
  int k, k_padded;
  void* out;
};

struct TileArgs {
  const void* a;  // the tile's first group
  const void* w;  // the first panel's first group
  std::size_t panel_bytes;
  const float* w_scale;      // the first panel's first block of K; or null
  std::size_t scale_stride;  // elements from a panel's scales to the next panel's
  int groups;
  void* sums;  // tile_m x (tile_v * lanes) of int32 or float32
  bool accumulate;
};

struct StoreArgs {
  const void* sums;          // as in TileArgs
  int slices;                // number of slices to add up
  std::size_t slice_stride;  // bytes
  int rows, columns;         // rows and columns that exist
  int width;                 // tile_v * lanes
  const float* row_scale;    // null: none
  const float* column_scale;
  const std::int32_t* column_sum;
  void* out;               // row-major
  std::size_t out_stride;  // elements
  bool out_f32;            // true: float32; false: bf16
};

using PackFunction = void (*)(const PackArgs&);
using TileFunction = void (*)(const TileArgs&);
using StoreFunction = void (*)(const StoreArgs&);

struct Tile {
  int tile_m, tile_v;
  TileFunction function;  // null: this build has too few registers
};

struct KindTable {
  Layout layout;
  PackFunction pack;
  StoreFunction store;
  const Tile* tiles;
  int tile_count;
};

struct IsaTable {
  int lanes;  // 32-bit lanes of a vector
  KindTable kinds[kKinds];
};

extern const IsaTable kTableV2, kTableV3, kTableV4;

}  // namespace tunehub::kernels::cpu
