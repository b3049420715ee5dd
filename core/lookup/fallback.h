// What runs where the table has no row: the answer of a rule that looks at the shape.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/lookup/attempts.h"
#include "core/shapes/shape.h"

namespace tunehub::lookup {

struct Fallback {
  Step step = Step::kDefault;  // kHeuristic or kDefault
  std::string kernel_name;     // "": not known here
  std::string split_k;         // "": not known here
  std::string reason;          // one sentence for people
};

// Nothing where the rule says nothing about the shape.
using FallbackRule = std::function<std::optional<Fallback>(const core::FamilyShape& shape,
                                                           std::string_view gfx, int cu_num)>;

}  // namespace tunehub::lookup
