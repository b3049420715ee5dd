#include "tests/support/standby.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "server/embedded/launch.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {

Standby::Standby(const std::string& primary) {
  const std::string from = WordOf(primary, "host"), dir = dir_.path().string();
  const std::string pg = dir + "/pg";
  user_ = *embedded::ChooseDatabaseUser(from);
  log_ = ::open((dir + "/log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
  socket_dir_ = dir;
  if (::chmod(dir.c_str(), 0700) != 0 || ::chown(dir.c_str(), user_.uid, user_.gid) != 0)
    throw std::runtime_error(dir);
  const auto binaries = Must(embedded::FindBinaries("/usr/lib/postgresql", pg));
  const auto bin = binaries.postgres.parent_path();
  const auto launch = [&](std::vector<std::string> argv) {
    return embedded::Launch{.argv = std::move(argv),
                            .user = user_,
                            .lock_fd = log_,
                            .log_fd = log_,
                            .death_signal = SIGINT};
  };
  const auto copied = embedded::RunToEnd(
      launch({(bin / "pg_basebackup").string(), "-h", from, "-p", WordOf(primary, "port"), "-U",
              WordOf(primary, "user"), "-D", pg, "-R", "-X", "stream", "-c", "fast"}));
  if (!copied) throw std::runtime_error(copied.error().detail + ReadText(dir + "/log"));
  pid_ = Must(embedded::Start(
      launch({binaries.postgres, "-D", pg, "-c", "listen_addresses=", "-c",
              "unix_socket_directories=" + socket_dir_, "-c", "port=5432", "-c", "fsync=off"})));
  connection_string_ = "host=" + socket_dir_ + " port=5432 user=" + WordOf(primary, "user") +
                       " dbname=" + WordOf(primary, "dbname");
  for (int i = 0; i < 600; ++i) {
    try {
      if (QueryText(connection_string_, "SELECT pg_is_in_recovery()") == "t") return;
    } catch (const std::exception&) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("the standby: " + ReadText(dir + "/log"));
}

Standby::~Standby() {
  if (pid_ > 0) {
    ::kill(pid_, SIGQUIT);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(log_);
}

void Standby::Promote() const {
  Execute(connection_string_, "SELECT pg_promote()");
}

}  // namespace tunehub::test
