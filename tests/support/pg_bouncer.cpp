#include "tests/support/pg_bouncer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "server/embedded/db_user.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr const char* kProgram = "/usr/sbin/pgbouncer";  // Debian's package installs it there
constexpr int kPort = 6432;  // the name of PgBouncer's socket contains it

}  // namespace

PgBouncer::PgBouncer(const std::string& database, const std::string& pool_mode,
                     const std::string& more) {
  if (::access(kProgram, X_OK) != 0)
    throw std::runtime_error(std::string(kProgram) + " is missing: deploy/install-packages test");
  const std::string dir = dir_.path().string();
  const std::string socket = WordOf(database, "host");
  struct stat owner {};
  if (::stat(socket.c_str(), &owner) != 0) throw std::runtime_error(socket);
  // PgBouncer refuses to run as root, and only the cluster's owner may use the cluster's socket.
  if (::chown(dir.c_str(), owner.st_uid, owner.st_gid) != 0) throw std::runtime_error("chown");
  std::ofstream(dir + "/bouncer.ini")
      << "[databases]\n* = host=" << socket << " port=" << WordOf(database, "port")
      << " user=" << WordOf(database, "user")
      << "\n[pgbouncer]\nlisten_addr =\nlisten_port = " << kPort << "\nunix_socket_dir = " << dir
      << "\nauth_type = any\npool_mode = " << pool_mode << "\n"
      << more;
  std::vector<std::string> arguments = {dir + "/bouncer.ini"};
  if (::geteuid() == 0) {
    const auto user = embedded::ChooseDatabaseUser(socket);
    arguments.insert(arguments.begin(), {"-u", user->name});
  }
  program_ = std::make_unique<Program>(Command{kProgram, arguments}, dir + "/out", dir + "/err");
  connection_string_ = "host=" + dir + " port=" + std::to_string(kPort) +
                       " user=" + WordOf(database, "user") +
                       " dbname=" + WordOf(database, "dbname");
  // Sends no statement, because it might open a transaction, which some modes refuse.
  const std::string own_socket = dir + "/.s.PGSQL." + std::to_string(kPort);
  for (int i = 0; i < 500; ++i) {
    if (ConnectToFile(own_socket).ok()) return;  // the socket file exists before PgBouncer listens
    if (program_->Wait(std::chrono::milliseconds(20))) break;
  }
  throw std::runtime_error("pgbouncer: " + ReadText(dir + "/err"));
}

}  // namespace tunehub::test
