#include "tests/support/postmaster.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

// A signal may arrive late, and a restart before its arrival would find PostgreSQL still running.
bool IsRunning(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.compare(name_end, 3, ") Z") != 0;
}

}  // namespace

pid_t PostmasterPid(const std::string& connection_string) {
  return std::stoi(QueryText(connection_string,
                             R"(SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1))"));
}

void KillPostmaster(const std::string& connection_string) {
  const pid_t pid = PostmasterPid(connection_string);
  if (::kill(pid, SIGKILL) != 0) throw std::system_error(errno, std::generic_category(), "kill");
  for (int i = 0; IsRunning(pid); ++i) {
    if (i == 2000) throw std::runtime_error("PostgreSQL has not ended 10 s after SIGKILL");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

FrozenPostmaster::FrozenPostmaster(const std::string& connection_string) {
  const pid_t postmaster = PostmasterPid(connection_string);
  stopped_.push_back(postmaster);
  ::kill(postmaster, SIGSTOP);  // a stopped postmaster forks no more children
  const std::string id = std::to_string(postmaster);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; children >> child;) {
    ::kill(child, SIGSTOP);
    stopped_.push_back(child);
  }
}

FrozenPostmaster::~FrozenPostmaster() {
  for (const pid_t it : stopped_) ::kill(it, SIGCONT);
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
