// SQL for tests: each call uses its own connection. Also reads parts of a connection string.
#pragma once

#include <string>

#include "core/base/file.h"

namespace tunehub::server {
class ConnectionPool;
}

namespace tunehub::test {

// Both functions throw what libpqxx throws.
void Execute(const std::string& connection_string, const std::string& sql);
std::string QueryText(const std::string& connection_string, const std::string& sql);  // one value

// One value, over a connection of the pool.
std::string QueryText(server::ConnectionPool& pool, const std::string& sql);

// The value of `name` in a connection string "host=FOLDER port=... ...".
std::string WordOf(const std::string& connection_string, const std::string& name);
// A connection to that socket file; not ok if nobody listens.
core::Fd ConnectToFile(const std::string& path);

}  // namespace tunehub::test
