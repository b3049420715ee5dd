// Plain SQL for tests, each call on a connection of its own.
#pragma once

#include <string>

namespace tunehub::test {

// Both throw what libpqxx throws.
void Execute(const std::string& connection_string, const std::string& sql);
std::string QueryText(const std::string& connection_string, const std::string& sql);  // one value

}  // namespace tunehub::test
