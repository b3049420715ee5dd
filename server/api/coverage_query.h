// What a coverage is asked of, and how its answer is to be written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/model_question.h"
#include "server/api/services.h"
#include "server/http/request.h"
#include "server/service/analysis/coverage.h"

namespace tunehub::api {

// How the answer is to be written: CSV is of one family.
struct CoverageForm {
  bool csv = false;
  std::vector<analysis::State> states;  // of the lines; empty: all
};

// Errors: bad_parameter, bad_state.
core::Result<CoverageForm> CoverageFormOf(const http::Request& request);

struct ModelQuery {
  const core::Family* family = nullptr;  // null: all
  core::Target target;
  service::ModelRequest model;
  std::int64_t max_m = analysis::kDefaultMaxM;
  CoverageForm form;
};

// `config`: the text of a config.json that was brought; absent: the model is one of ours. Errors:
// unknown_parameter, bad_parameter, bad_state, unknown_family, bad_model.
core::Result<ModelQuery> ReadModelQuery(const Services& services, const http::Request& request,
                                        std::optional<std::string> config = std::nullopt);

}  // namespace tunehub::api
