// The PostgreSQL behind a connection, as a process that can be killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string);
// kill -9, as the kernel does for want of memory: its backends follow by themselves.
void KillPostmaster(const std::string& connection_string);

// Stopped with all its processes, for as long as this lives: its connections stand, and nothing is
// answered.
class FrozenPostmaster {
 public:
  explicit FrozenPostmaster(const std::string& connection_string);
  ~FrozenPostmaster();
  FrozenPostmaster(const FrozenPostmaster&) = delete;
  FrozenPostmaster& operator=(const FrozenPostmaster&) = delete;

 private:
  std::vector<pid_t> stopped_;
};

// Whether it takes a connection within a minute: one that was killed may be on its way back.
bool AwaitPostmaster(const std::string& connection_string);

}  // namespace tunehub::test
