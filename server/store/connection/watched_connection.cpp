#include "server/store/connection/watched_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "sql.h"

namespace tunehub::store {
namespace {

std::string AddressOf(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  auto* const address = reinterpret_cast<sockaddr*>(&peer);
  std::array<char, NI_MAXHOST> text{};
  if (::getpeername(socket, address, &size) != 0 || peer.ss_family == AF_UNIX) return "";
  if (::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "";
  return text.data();
}

}  // namespace

WatchedSocket::WatchedSocket(int socket, Host host)
    : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)), host_(std::move(host)) {}

WatchedSocket::~WatchedSocket() {
  if (socket_ >= 0) ::close(socket_);
}

void WatchedSocket::Shut() {
  shut_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

WatchedConnection::WatchedConnection(const std::string& url) : pqxx::connection(url) {
  // Else the ROLLBACK of a transaction whose connection broke would connect again, silently, and
  // wait for a host that hangs. libpqxx 7 never does, and has no such method: hence its warning.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  inhibit_reactivation(true);
#pragma GCC diagnostic pop
  socket_ = std::make_shared<WatchedSocket>(sock(), Host{hostname(), port(), AddressOf(sock())});
}

void WatchedConnection::AskTimeline() {
  pqxx::nontransaction transaction(*this);
  try {
    const auto row = transaction.exec1(sql::read_timeline);
    timeline_ = {row["system"].as<std::string>(), row["timeline"].as<std::int64_t>()};
  } catch (const pqxx::insufficient_privilege&) {
    timeline_ = {};  // taken from everybody by whoever keeps the database: it serves all the same
  }
}

}  // namespace tunehub::store
