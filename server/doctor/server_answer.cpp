#include "server/doctor/server_answer.h"

#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <system_error>

#include "core/system/fd.h"
#include "server/tls/exchange.h"

namespace tunehub::doctor {
namespace {

constexpr timeval kPatience{5, 0};  // for each step: a server that is well answers in milliseconds
constexpr std::size_t kMostBytes = 4 * 1024 * 1024;  // of an answer

core::Error NoAnswer(const std::string& why) {
  return {"no_answer", why};
}

std::string LastError() {
  return std::generic_category().message(errno == EAGAIN ? ETIMEDOUT : errno);
}

// Who listens at every address is asked at this host's own.
std::string AddressOf(const std::string& host) {
  if (host == "0.0.0.0") return "127.0.0.1";
  return host == "::" ? "::1" : host;
}

core::Result<core::Fd> ConnectTo(const std::string& host, unsigned short port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(AddressOf(host).c_str(), std::to_string(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  if (error != 0) return NoAnswer(::gai_strerror(error));
  std::string why;
  for (const addrinfo* it = found; it != nullptr; it = it->ai_next) {
    core::Fd fd(::socket(it->ai_family, it->ai_socktype | SOCK_CLOEXEC, it->ai_protocol));
    if (!fd.ok()) continue;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(fd.get(), it->ai_addr, it->ai_addrlen) == 0) return fd;
    why = LastError();
  }
  return NoAnswer(why);
}

core::Result<std::string> ExchangePlain(const core::Fd& fd, const std::string& request) {
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    return NoAnswer(LastError());
  std::string answer;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t size = ::recv(fd.get(), buffer, sizeof buffer, 0);
    if (size < 0) return NoAnswer(LastError());
    if (size == 0) return answer;
    answer.append(buffer, static_cast<std::size_t>(size));
    if (answer.size() > kMostBytes) return NoAnswer("its answer has no end");
  }
}

core::Result<Answer> Parse(const std::string& text) {
  constexpr std::string_view kBegin = "HTTP/1.", kBlank = "\r\n\r\n";
  constexpr std::size_t kStatusAt = kBegin.size() + 2;
  const std::size_t head = text.find(kBlank);
  Answer answer;
  if (!text.starts_with(kBegin) || head == std::string::npos ||
      std::from_chars(text.data() + kStatusAt, text.data() + head, answer.status).ec != std::errc())
    return NoAnswer("what answers there is no web server");
  answer.body = text.substr(head + kBlank.size());
  return answer;
}

}  // namespace

core::Result<Answer> Ask(const std::string& host, unsigned short port, bool tls,
                         const std::string& path) {
  const auto fd = ConnectTo(host, port);
  if (!fd.ok()) return fd.error();
  // 1.0: the answer comes in one piece, and ends with the connection.
  const std::string request =
      fmt::format("GET {} HTTP/1.0\r\nHost: {}:{}\r\nConnection: close\r\n\r\n", path, host, port);
  const auto text =
      tls ? tls::Exchange(fd->get(), request, kMostBytes) : ExchangePlain(*fd, request);
  if (!text.ok()) return text.error();
  return Parse(*text);
}

}  // namespace tunehub::doctor
