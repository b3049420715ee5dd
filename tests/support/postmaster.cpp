#include "tests/support/postmaster.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <thread>

#include "tests/support/sql.h"

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string) {
  return std::stoi(QueryText(connection_string,
                             R"(SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1))"));
}

void KillPostmaster(const std::string& connection_string) {
  ::kill(PostmasterPid(connection_string), SIGKILL);
}

bool AwaitPostmaster(const std::string& connection_string) {
  for (int i = 0; i < 1200; ++i) {
    try {
      return PostmasterPid(connection_string) > 0;
    } catch (const std::exception&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  return false;
}

}  // namespace tunehub::test
