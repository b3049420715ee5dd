// The top-k that a lookup asks for where experts are split over GPUs: engines pass one column more
// or none, and AITER takes one off or none, by its version.
#pragma once

#include <cstdint>
#include <vector>

#include "core/family/family.h"
#include "core/shapes/model_shapes.h"
#include "core/shapes/products.h"

namespace tunehub::core {

// The values of column topk that rows for the product have, the likeliest first: several where it
// is not known. Empty: the product's own. `note` says why they differ from it.
std::vector<std::int64_t> EpTopks(const Family& family, const ModelProduct& product,
                                  const ShapeOptions& options, SplitFinding& note);

}  // namespace tunehub::core
