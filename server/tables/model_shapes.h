// What serving a model asks of a family's table.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/row/target.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

inline constexpr std::int64_t kMaxTp = 1024;  // of a question; no model is split over more

// Serving this model is what asks for shapes.
struct ModelRequest {
  std::string model;         // a name of core::FindModel
  std::int64_t tp = 1;       // GPUs that the model is split over
  std::string grid = "gl0";  // core/shapes/model_shapes.h
  std::string config = {};   // the text of a config.json in the place of a name; "": none
  core::ShapeOptions options = {};
  const core::EngineReads* engine =
      nullptr;            // that serves it; null: every table that could be asked
  std::string rocm = {};  // with which; "": the newest
};

// Errors: those of core::FindModel; bad_model, where a config was brought.
core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request);

// What a device is called in the names of an engine's files: the first alias of a product, any
// other name as it is; where `asked` is empty, that of the first product of the target. "":
// unknown.
std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked);

}  // namespace tunehub::server
