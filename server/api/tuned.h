// GET /tuned/{family} without a thread change: what the reactor can answer from memory.
#pragma once

#include <optional>

#include "server/api/services.h"
#include "server/http/request.h"
#include "server/http/response.h"

namespace tunehub::api {

// Nothing where the request is another one, is wrong, or its answer is not in memory.
std::optional<http::Response> FastTuned(const Services& services, const http::Request& request);

// Marks an answer from the snapshot while the database is gone.
void WarnIfStale(const Services& services, http::Response& response);

}  // namespace tunehub::api
