#pragma once

#include <string>

#include "server/db/connection_pool.h"

namespace tunehub::test {

// The sentences of `tunehub-server verify`, one per line; "" if it finds no error.
std::string WhatDoesNotHold(server::ConnectionPool& pool);

}  // namespace tunehub::test
