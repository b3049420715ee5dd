// Routes of API keys, of signing keys and channels, and of the audit log.
#pragma once

#include <vector>

#include "core/base/signature.h"
#include "server/answers/route.h"
#include "server/db/connection_pool.h"
#include "server/keys/keys.h"

namespace tunehub::server {

struct KeyServices : Services {
  ConnectionPool& pool;
  Keys& keys;
  const core::SecretKey& signing_key;
};

std::vector<Endpoint> KeyRoutes(const KeyServices& services);
std::vector<Endpoint> ApiKeyRoutes(const KeyServices& services);
std::vector<Endpoint> ChannelRoutes(const KeyServices& services);

}  // namespace tunehub::server
