// What of a request to a hub a static export can answer: one table or one bundle, by family, target
// and revision.
#pragma once

#include "agent/hub/export_index.h"
#include "agent/hub/hub_client.h"

namespace tunehub::agent {

// Error static_export, which names what needs a server.
core::Result<ExportQuery> ExportQueryOf(const Request& request);

}  // namespace tunehub::agent
