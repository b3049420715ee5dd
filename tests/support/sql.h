// Plain SQL for tests, each call on a connection of its own, and where a connection goes.
#pragma once

#include <string>

#include "core/base/file.h"

namespace tunehub::server {
class ConnectionPool;
}

namespace tunehub::test {

// Both throw what libpqxx throws.
void Execute(const std::string& connection_string, const std::string& sql);
std::string QueryText(const std::string& connection_string, const std::string& sql);  // one value

// One value, over a connection of the pool.
std::string QueryText(server::ConnectionPool& pool, const std::string& sql);

// What a connection string "host=FOLDER port=... ..." says of `name`.
std::string WordOf(const std::string& connection_string, const std::string& name);
// To that socket file; not ok where nobody listens.
core::Fd ConnectToFile(const std::string& path);

}  // namespace tunehub::test
