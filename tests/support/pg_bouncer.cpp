#include "tests/support/pg_bouncer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "server/embedded/db_user.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

constexpr const char* kProgram = "/usr/sbin/pgbouncer";  // of Debian's package
constexpr int kPort = 6432;                              // a part of its socket's name

std::string Value(const std::string& connection_string, const std::string& name) {
  std::istringstream words(connection_string);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  throw std::runtime_error(connection_string + " has no " + name);
}

// Its socket is there before anybody listens on it.
bool Listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return listens;
}

}  // namespace

PgBouncer::PgBouncer(const std::string& database, const std::string& pool_mode,
                     const std::string& more) {
  if (::access(kProgram, X_OK) != 0)
    throw std::runtime_error(std::string(kProgram) + " is missing: deploy/install-packages test");
  const std::string dir = dir_.path().string();
  const std::string socket = Value(database, "host");
  struct stat owner {};
  if (::stat(socket.c_str(), &owner) != 0) throw std::runtime_error(socket);
  // It refuses to be root, and the cluster's socket lets in its owner alone.
  if (::chown(dir.c_str(), owner.st_uid, owner.st_gid) != 0) throw std::runtime_error("chown");
  std::ofstream(dir + "/bouncer.ini")
      << "[databases]\n* = host=" << socket << " port=" << Value(database, "port")
      << " user=" << Value(database, "user")
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
                       " user=" + Value(database, "user") + " dbname=" + Value(database, "dbname");
  // No statement of a test's own, which might open a transaction: not every mode takes one.
  const std::string own_socket = dir + "/.s.PGSQL." + std::to_string(kPort);
  for (int i = 0; i < 500; ++i) {
    if (Listens(own_socket)) return;
    if (program_->Wait(std::chrono::milliseconds(20))) break;
  }
  throw std::runtime_error("pgbouncer: " + ReadText(dir + "/err"));
}

}  // namespace tunehub::test
