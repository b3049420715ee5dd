// A keep-alive connection of a load generator to a server on this host.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct Answer {
  int status = 0;
  std::string body;
};

// The integer after "name": in a body, which must contain it.
inline std::string Number(const std::string& body, const std::string& name) {
  const std::size_t at = body.find("\"" + name + "\":");
  if (at == std::string::npos) throw std::runtime_error("no " + name + " in " + body);
  const std::size_t begin = at + name.size() + 3;
  return body.substr(begin, body.find_first_not_of("0123456789", begin) - begin);
}

// The percentile of the times for `share`, within 0..1.
inline double Percentile(std::vector<double> times, double share) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}

inline int ConnectTo(int port) {
  const int it = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  setsockopt(it, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(it, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
  return it;
}

class Connection {
 public:
  Connection(int port, std::string key) : key_(std::move(key)), socket_(ConnectTo(port)) {}
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Answer Post(const std::string& path, const std::string& headers, const std::string& body) {
    const std::string request =
        "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key_ + "\r\n" +
        headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (std::size_t sent = 0; sent < request.size();) {
      const ssize_t now = send(socket_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) throw std::runtime_error("cannot send");
      sent += static_cast<std::size_t>(now);
    }
    return Read();
  }

 private:
  Answer Read() {
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) Receive();
    const std::string head = buffer_.substr(0, end);
    Answer answer;
    answer.status = std::atoi(head.c_str() + sizeof("HTTP/1.1"));
    const std::string name = "Content-Length: ";
    const std::size_t at = head.find(name);
    const std::size_t length =
        at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
    while (buffer_.size() < end + 4 + length) Receive();
    answer.body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    return answer;
  }

  void Receive() {
    std::array<char, 16384> piece;
    const ssize_t got = recv(socket_, piece.data(), piece.size(), 0);
    if (got <= 0) throw std::runtime_error("the server has closed");
    buffer_.append(piece.data(), static_cast<std::size_t>(got));
  }

  std::string key_, buffer_;
  int socket_;
};
