// The PostgreSQL behind a connection, as a process that can be killed.
#pragma once

#include <sys/types.h>

#include <string>

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string);
// kill -9, as the kernel does for want of memory: its backends follow by themselves.
void KillPostmaster(const std::string& connection_string);

// Whether it takes a connection within a minute: one that was killed may be on its way back.
bool AwaitPostmaster(const std::string& connection_string);

}  // namespace tunehub::test
