// Which layers of a model have experts, and which have a gated delta net.
#pragma once

#include "core/shapes/config_figures.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// Sets layers, moe_layers and linear_layers. Precondition: experts and linear_value_heads are read.
void ReadLayers(ConfigFigures& figures, Model& model);

// Whether any layer is dense: also where a config does not say how many there are.
bool HasDenseLayers(ConfigFigures& figures, const Model& model);

}  // namespace tunehub::core
