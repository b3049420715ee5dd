// Where a key stands among its family's: what is large or small about it, and what else it is.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/family/family.h"

namespace tunehub::analysis {

struct KeyPlace {
  std::string shape;           // "M=16 N=1280 K=5120": every shape column, in the family's order
  std::string rest;            // the cells of what a neighbour must share: types, batch, tag, ...
  double m = 0, n = 0, k = 0;  // "fmoe": tokens, inter_dim, model_dim
  std::array<double, 3> logs = {};  // log2 of these

  // The sum of squares of log2 of the ratios: 1 is one dimension twice as large.
  double DistanceTo(const KeyPlace& other) const;
  bool IsSame(const KeyPlace& other) const;
};

// "M=16 N=1280 K=5120", of the family's shape columns.
std::string ShapeText(const core::Family& family, const core::Cells& cells);

// Nothing where the family's metric does not say what M, N and K are, or a cell is no number above
// zero. Columns that a lookup ignores tell no neighbour apart.
std::optional<KeyPlace> PlaceOf(const core::Family& family, const core::Cells& cells);

}  // namespace tunehub::analysis
