// A run as the interface says it.
#pragma once

#include <nlohmann/json.hpp>

#include "server/service/ingest/runs.h"

namespace tunehub::api {

nlohmann::ordered_json RunJson(const service::RunRecord& run);

}  // namespace tunehub::api
