// A shape and its demand.
#pragma once

#include <cstdint>

#include "core/shapes/shape.h"

namespace tunehub::core {

// A shape that was missed, or that is asked for although nobody has missed it.
struct ShapeDemand {
  FamilyShape shape;
  std::int64_t count = 0;  // how often it was missed; 0: nobody counted
  std::int64_t m = 0;      // that it stands for, where no column says so; 0: the column does
};

}  // namespace tunehub::core
