#include "tests/support/sql.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <pqxx/pqxx>
#include <stdexcept>

#include "server/db/connection_pool.h"

namespace tunehub::test {

void Execute(const std::string& connection_string, const std::string& sql) {
  pqxx::connection connection(connection_string);
  pqxx::work work(connection);
  work.exec(sql);
  work.commit();
}

std::string QueryText(const std::string& connection_string, const std::string& sql) {
  pqxx::connection connection(connection_string);
  pqxx::nontransaction work(connection);
  return work.exec1(sql)[0].as<std::string>("");
}

std::string QueryText(server::ConnectionPool& pool, const std::string& sql) {
  return pool.With([&](pqxx::connection& connection) {
    pqxx::nontransaction work(connection);
    return work.exec1(sql)[0].as<std::string>("");
  });
}

std::string WordOf(const std::string& connection_string, const std::string& name) {
  const std::size_t at = connection_string.find(name + "=");
  if (at == std::string::npos) throw std::runtime_error(connection_string + " has no " + name);
  const std::size_t begin = at + name.size() + 1;
  return connection_string.substr(begin, connection_string.find(' ', begin) - begin);
}

core::Fd ConnectToFile(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  core::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fd.Close();
  return fd;
}

}  // namespace tunehub::test
