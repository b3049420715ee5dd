// The shapes of a model in a family.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/row/target.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

inline constexpr std::int64_t kMaxTp = 1024;  // limit of a request; no model uses more

// A model as it is served.
struct ModelRequest {
  std::string model;         // a name of core::FindModel
  std::int64_t tp = 1;       // GPUs that the model is split over
  std::string grid = "gl0";  // core/shapes/model_shapes.h
  std::string config = {};   // text of a config.json instead of a name; "": none
  core::ShapeOptions options = {};
  const core::EngineReads* engine =
      nullptr;            // the engine that serves it; null: consider all tables
  std::string rocm = {};  // the ROCm version; "": the newest
};

// Errors: those of core::FindModel; bad_model for a config.
core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request);

// A device's name in an engine's file names: the first alias of a product, any other name
// unchanged. If `asked` is empty, that of the target's first product. "": unknown.
std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked);

}  // namespace tunehub::server
