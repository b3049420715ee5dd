#include "tests/support/deaf_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace tunehub::test {
namespace {

constexpr int kLookMs = 50;  // for a stop

// "host=X port=Y rest" -> X, Y, rest
std::vector<std::string> Parts(const std::string& connection_string) {
  const auto value = [&](const std::string& name) {
    const std::size_t begin = connection_string.find(name + "=") + name.size() + 1;
    return connection_string.substr(begin, connection_string.find(' ', begin) - begin);
  };
  return {value("host"), value("port"), connection_string.substr(connection_string.find("user="))};
}

int ConnectTo(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string Receive(int fd) {
  char buffer[64 * 1024];
  const ssize_t size = ::recv(fd, buffer, sizeof buffer, 0);
  return size > 0 ? std::string(buffer, static_cast<std::size_t>(size)) : "";
}

}  // namespace

DeafRelay::DeafRelay(const std::string& connection_string) {
  const auto parts = Parts(connection_string);
  socket_path_ = parts[0] + "/.s.PGSQL." + parts[1];
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, any, &size) != 0) {
    throw std::runtime_error(std::string("relay: ") + std::strerror(errno));
  }
  port_ = ntohs(address.sin_port);
  connection_string_ = "host=127.0.0.1 port=" + std::to_string(port_) + " " + parts[2];
  thread_ = std::thread([this] { Run(); });
}

DeafRelay::~DeafRelay() {
  stopping_ = true;
  thread_.join();
  for (const Link& link : links_) {
    ::close(link.client);
    ::close(link.server);
  }
  ::close(listener_);
}

void DeafRelay::Accept() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ConnectTo(socket_path_);
  if (server >= 0)
    links_.push_back({client, server});
  else
    ::close(client);
}

bool DeafRelay::ForwardToServer(Link& link) {
  const std::string bytes = Receive(link.client);
  link.listens = link.listens || bytes.find("LISTEN") != std::string::npos;
  return !bytes.empty() && SendAll(link.server, bytes);
}

bool DeafRelay::ForwardToClient(Link& link) {
  const std::string bytes = Receive(link.server);
  if (link.answered) {
    swallowed_ += bytes.size();
    return !bytes.empty();
  }
  link.answered = link.listens;
  return !bytes.empty() && SendAll(link.client, bytes);
}

void DeafRelay::Run() {
  while (!stopping_) {
    std::vector<pollfd> waits = {{accepting_ ? listener_ : -1, POLLIN, 0}};
    for (const Link& link : links_) {
      waits.push_back({link.client, POLLIN, 0});
      waits.push_back({link.server, POLLIN, 0});
    }
    if (::poll(waits.data(), waits.size(), kLookMs) <= 0) continue;
    std::vector<Link> open;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      Link& link = links_[i];
      const bool alive = (waits[1 + 2 * i].revents == 0 || ForwardToServer(link)) &&
                         (waits[2 + 2 * i].revents == 0 || ForwardToClient(link));
      if (alive) {
        open.push_back(link);
        continue;
      }
      ::close(link.client);
      ::close(link.server);
    }
    links_ = std::move(open);
    if (waits[0].revents != 0) Accept();
  }
}

}  // namespace tunehub::test
