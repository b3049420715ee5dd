// What distinguishes one instance of this folder's GEMM from another: a row of table/*.inc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/nvidia/gemm_layout.h"

namespace tunehub::kernels::nvidia {

struct Config {
  int block_m = 0, block_n = 0;  // the tile of a block
  int stages = 0;                // tiles of A and W on their way at a time
  // Tiles that two blocks compute together, which then share W's tile (2 x 1) or A's (1 x 2).
  int cluster_m = 1, cluster_n = 1;
  int group = 8;            // units along M that are walked before the next along N
  bool transposed = false;  // W . A^T, for an A of few rows: they fill the tensor cores' columns

  constexpr int cluster() const { return cluster_m * cluster_n; }
  bool operator==(const Config&) const = default;
};

// The rows of a family's table; none: no kernel of this folder computes it.
std::span<const Config> RowsOf(std::string_view family);

// "tk_a8w8_sm90_128x256x128_s4_c2x1_g8": tile, stages, cluster, group; then "_t": transposed.
std::string KernelName(std::string_view family, const Config& config);

}  // namespace tunehub::kernels::nvidia
