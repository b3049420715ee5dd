// Which tables a verdict judges: those that the build's engine reads for the model.
#pragma once

#include <string>
#include <vector>

#include "core/shapes/model.h"
#include "core/shapes/products.h"
#include "server/service/tables/verdict.h"

namespace tunehub::service {

// A family that the question names is judged, whoever reads it; without an engine every one is.
class JudgedTables {
 public:
  JudgedTables(const VerdictQuestion& question, const core::Model& model);

  Judged Of(const core::Family& family) const;

 private:
  const VerdictQuestion& question_;
  std::string scheme_;
  std::vector<core::ModelProduct> products_;
};

}  // namespace tunehub::service
