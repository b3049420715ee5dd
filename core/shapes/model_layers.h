// Which layers of a model have which parts, and how they store them.
#pragma once

#include "core/shapes/config_figures.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// Sets layers, intermediate and stored. Precondition: experts, index_heads and quantization are
// read.
void ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model);

}  // namespace tunehub::core
