// Routes of the request's own key and of the audit log.
#pragma once

#include <vector>

#include "server/answers/route.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

struct KeyServices : Services {
  ConnectionPool& pool;
};

std::vector<Endpoint> KeyRoutes(const KeyServices& services);

}  // namespace tunehub::server
