// Routes of missed shapes, of the jobs that tune them, and of agents.
#pragma once

#include <vector>

#include "core/base/read_json.h"
#include "server/answers/route.h"
#include "server/http/message.h"
#include "server/queue/queue.h"

namespace tunehub::server {

std::vector<Endpoint> DemandRoutes(const QueueServices& services);
std::vector<Endpoint> JobRoutes(const QueueServices& services);
std::vector<Endpoint> LeaseRoutes(const QueueServices& services);

}  // namespace tunehub::server
