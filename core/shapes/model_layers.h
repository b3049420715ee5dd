// Which layers of a model have which parts, and how they store them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/shapes/config_figures.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// By what architectures.json calls them: "attention", "linear", "experts", ...
struct LayerList {
  std::vector<std::int64_t> layers;
  bool counted = true;  // false: the config does not say which, and `layers` is the first
};
using LayerLists = std::map<std::string, LayerList>;

// Sets layers. Precondition: experts and index_heads are read.
LayerLists ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model);

// Sets `stored`. Precondition: quantization is read.
void StoreLayers(ConfigFigures& figures, const Architecture& architecture, const LayerLists& lists,
                 Model& model);

}  // namespace tunehub::core
