#include "tests/support/postmaster.h"

#include <csignal>

#include "tests/support/sql.h"

namespace tunehub::test {

pid_t PostmasterPid(const std::string& connection_string) {
  return std::stoi(QueryText(connection_string,
                             R"(SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1))"));
}

void KillPostmaster(const std::string& connection_string) {
  ::kill(PostmasterPid(connection_string), SIGKILL);
}

}  // namespace tunehub::test
