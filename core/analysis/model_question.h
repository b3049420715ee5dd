// What serving a model asks a family's table for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/analysis/pair_layers.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::analysis {

// Prefill in chunks of more tokens is rare, and the grid beyond it has most of its points.
inline constexpr std::int64_t kDefaultMaxM = 16'384;

struct ModelQuestion {
  const core::Model& model;
  std::int64_t tp = 1;
  std::string grid = "gl0";           // core::GridOf
  std::int64_t max_m = kDefaultMaxM;  // of the named grids; a list is taken whole
  core::ShapeOptions options = {};    // its fnuz and gfx are the target's
};

// Errors: those of core::GridOf and core::ModelShapes; bad_grid where max_m leaves no point.
core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx);

// Whether the error says that the model has no part that asks the family.
bool IsNoPart(const core::Error& error);

// The layers behind the pairs of a coverage of this family; empty where nothing asks it.
PairLayers LayersOf(const ModelQuestion& question, const core::Family& family);

}  // namespace tunehub::analysis
