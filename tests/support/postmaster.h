// The PostgreSQL behind a connection, as a process that tests can kill.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string);
// kill -9, as the kernel does when memory is full. The backends then end by themselves.
void KillPostmaster(const std::string& connection_string);

// Stops all processes of a PostgreSQL while the object exists. Connections stay open but get no
// answers.
class FrozenPostmaster {
 public:
  explicit FrozenPostmaster(const std::string& connection_string);
  ~FrozenPostmaster();
  FrozenPostmaster(const FrozenPostmaster&) = delete;
  FrozenPostmaster& operator=(const FrozenPostmaster&) = delete;

 private:
  std::vector<pid_t> stopped_;
};

// False if PostgreSQL accepts no connection within a minute. After a kill it may be restarting.
bool AwaitPostmaster(const std::string& connection_string);

}  // namespace tunehub::test
