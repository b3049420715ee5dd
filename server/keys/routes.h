// Keys as their holders see them, and who wrote what.
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
