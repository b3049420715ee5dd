#include "kernels/amd/tile_order.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace tunehub::kernels::amd {
namespace {

TEST(AmdTileOrder, gives_every_tile_to_one_block) {
  for (const int xcds : {1, 4, 8}) {
    for (const int group_m : {1, 3, 8}) {
      for (const auto& [tiles_m, tiles_n] :
           std::vector<std::pair<int, int>>{{1, 1}, {1, 7}, {7, 1}, {5, 9}, {8, 16}, {17, 3}}) {
        std::set<std::pair<int, int>> seen;
        for (int id = 0; id < tiles_m * tiles_n; ++id) {
          const Tile tile = TileOf(id, tiles_m, tiles_n, group_m, xcds);
          EXPECT_TRUE(tile.m >= 0 && tile.m < tiles_m && tile.n >= 0 && tile.n < tiles_n);
          EXPECT_TRUE(seen.emplace(tile.m, tile.n).second)
              << tile.m << ", " << tile.n << " twice: " << xcds << ", " << group_m;
        }
      }
    }
  }
}

// Blocks go to dies in turn: those of one die should be neighbours.
TEST(AmdTileOrder, gives_a_die_a_run_of_neighbours) {
  for (int die = 0; die < 8; ++die) {
    for (int id = die + 8; id < 59; id += 8) {
      EXPECT_EQ(DealtToDies(id, 59, 8), DealtToDies(id - 8, 59, 8) + 1);
    }
  }
}

TEST(AmdTileOrder, walks_in_bands_of_group_m_rows) {
  const auto at = [](int id) {
    const Tile tile = TileOf(id, 5, 3, 2, 1);
    return std::pair(tile.m, tile.n);
  };
  using Tiles = std::vector<std::pair<int, int>>;
  const Tiles expected = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 0}, {3, 0},
                          {2, 1}, {3, 1}, {2, 2}, {3, 2}, {4, 0}, {4, 1}, {4, 2}};
  Tiles found;
  for (int id = 0; id < 15; ++id) found.push_back(at(id));
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace tunehub::kernels::amd
