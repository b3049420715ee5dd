// What `tunehub-server verify` says of a registry.
#pragma once

#include <string>

#include "server/db/connection_pool.h"

namespace tunehub::test {

// A sentence a line; "": everything holds.
std::string WhatDoesNotHold(server::ConnectionPool& pool);

}  // namespace tunehub::test
