// The PostgreSQL behind a connection, as a process that can be killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string);
// kill -9, as the kernel does when memory runs out. The backends end by themselves.
void KillPostmaster(const std::string& connection_string);

// Stops all its processes while the object lives. Connections stay open without answers.
class FrozenPostmaster {
 public:
  explicit FrozenPostmaster(const std::string& connection_string);
  ~FrozenPostmaster();
  FrozenPostmaster(const FrozenPostmaster&) = delete;
  FrozenPostmaster& operator=(const FrozenPostmaster&) = delete;

 private:
  std::vector<pid_t> stopped_;
};

// False: PostgreSQL accepts no connection within a minute. A killed one may be restarting.
bool AwaitPostmaster(const std::string& connection_string);

}  // namespace tunehub::test
