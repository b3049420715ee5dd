// Routes of results, imports and their runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "server/answers/route.h"
#include "server/ingest/ingest.h"
#include "server/ingest/runs.h"

namespace tunehub::server {

struct IngestServices : Services {
  Ingest& ingest;
  Runs& runs;
};

std::vector<Endpoint> IngestRoutes(const IngestServices& services);

// A run as the HTTP interface shows it.
nlohmann::ordered_json RunJson(const RunRecord& run);

}  // namespace tunehub::server
