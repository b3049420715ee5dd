#include "tests/support/tcp_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

#include "tests/support/socket_hub.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr int kLookMs = 50;  // ms between the relay's checks whether it must stop

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Forwards the bytes that `from` has sent; false if one side has closed.
bool Forward(int from, int to) {
  char buffer[64 * 1024];
  const ssize_t size = ::recv(from, buffer, sizeof buffer, 0);
  return size > 0 && SendAll(to, {buffer, static_cast<std::size_t>(size)});
}

}  // namespace

TcpRelay::TcpRelay(const std::string& connection_string)
    : socket_path_(WordOf(connection_string, "host") + "/.s.PGSQL." +
                   WordOf(connection_string, "port")),
      listener_(ListenOnLoopback(port_)),
      connection_string_("host=127.0.0.1 port=" + std::to_string(port_) + " " +
                         connection_string.substr(connection_string.find("user="))),
      thread_([this] { Run(); }) {}

TcpRelay::~TcpRelay() {
  stopping_ = true;
  thread_.join();
}

void TcpRelay::Accept() {
  core::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!client.ok()) return;
  core::Fd server = ConnectToFile(socket_path_);
  if (server.ok()) links_.push_back({std::move(client), std::move(server)});
}

void TcpRelay::Run() {
  while (!stopping_) {
    std::vector<pollfd> waits = {{accepting_ ? listener_.get() : -1, POLLIN, 0}};
    for (const Link& link : links_) {
      waits.push_back({link.client.get(), POLLIN, 0});
      waits.push_back({link.server.get(), POLLIN, 0});
    }
    if (::poll(waits.data(), waits.size(), kLookMs) <= 0) continue;
    std::vector<Link> open;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Link& link = links_[i];
      const int client = link.client.get(), server = link.server.get();
      const bool alive = (waits[1 + 2 * i].revents == 0 || Forward(client, server)) &&
                         (waits[2 + 2 * i].revents == 0 || Forward(server, client));
      if (alive) open.push_back(std::move(link));
    }
    links_ = std::move(open);
    if (waits[0].revents != 0) Accept();
  }
}

}  // namespace tunehub::test
