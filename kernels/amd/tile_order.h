// Chooses the tile of the output that a block computes. Blocks that run at the same time should
// share rows of A and columns of W in a cache. The chip assigns blocks to dies in turn, which
// decides which blocks run at the same time.
#pragma once

#if defined(__HIP__)
#define TK_BOTH __attribute__((host, device, always_inline))
#else
#define TK_BOTH
#endif

namespace tunehub::kernels::amd {

struct Tile {
  int m, n;
};

// The chip runs block `id` on die id % xcds. This order gives every die a run of neighbouring
// tiles.
TK_BOTH constexpr int DealtToDies(int id, int count, int xcds) {
  const int die = id % xcds, turn = id / xcds;
  const int each = count / xcds, extra = count % xcds;  // the first `extra` dies get one more tile
  return die * each + (die < extra ? die : extra) + turn;
}

// Divides the tiles into bands of `group_m` rows of tiles. Blocks compute a band column by column,
// so that the band's rows of A stay in the cache while the columns of W change. The last band may
// have fewer rows.
TK_BOTH constexpr Tile TileOf(int id, int tiles_m, int tiles_n, int group_m, int xcds) {
  const int place = DealtToDies(id, tiles_m * tiles_n, xcds);
  const int band = place / (group_m * tiles_n);
  const int first = band * group_m;
  const int height = tiles_m - first < group_m ? tiles_m - first : group_m;
  const int within = place - first * tiles_n;
  return {first + within % height, within / height};
}

}  // namespace tunehub::kernels::amd
