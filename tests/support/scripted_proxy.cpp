#include "tests/support/scripted_proxy.h"

#include <sys/socket.h>

#include <array>

#include "tests/support/raw_http.h"
#include "tests/support/socket_hub.h"

namespace tunehub::test {
namespace {

std::string WholeRequest(int socket) {
  std::string request;
  std::array<char, 65536> buffer{};
  while (!IsWholeRequest(request)) {
    const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0) return "";
    request.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return request;
}

// The proxy reads until the connection ends, so the server must close it after its answer.
std::string ForOneAnswer(std::string request) {
  return request.insert(request.find("\r\n") + 2, "Connection: close\r\n");
}

}  // namespace

ScriptedProxy::ScriptedProxy(unsigned short server) : server_(server) {
  listener_ = ListenOnLoopback(port_);
  thread_ = std::thread([this] { Run(); });
}

ScriptedProxy::~ScriptedProxy() {
  stopping_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

void ScriptedProxy::Say(const std::string& part, int times, const std::string& status,
                        const std::string& type, const std::string& body) {
  const std::lock_guard lock(mutex_);
  script_[part] = {"HTTP/1.1 " + status + "\r\nServer: nginx/1.22.1\r\nContent-Type: " + type +
                       "\r\nContent-Length: " + std::to_string(body.size()) +
                       "\r\nConnection: close\r\n\r\n" + body,
                   times, 0};
}

void ScriptedProxy::SayPage(const std::string& part, int times, const std::string& status) {
  Say(part, times, status, "text/html",
      "<html>\r\n<head><title>" + status + "</title></head>\r\n<body>\r\n<center><h1>" + status +
          "</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n");
}

int ScriptedProxy::Said(const std::string& part) const {
  const std::lock_guard lock(mutex_);
  const auto found = script_.find(part);
  return found == script_.end() ? 0 : found->second.said;
}

std::string ScriptedProxy::AnswerTo(const std::string& request) {
  {
    const std::lock_guard lock(mutex_);
    const std::string first = request.substr(0, request.find("\r\n"));
    for (auto& [part, line] : script_) {
      if (line.left == 0 || first.find(part) == std::string::npos) continue;
      --line.left;
      ++line.said;
      return line.answer;
    }
  }
  ++passed_;
  RawHttp server(server_);
  return server.Send(ForOneAnswer(request)) ? server.ReadToEnd(std::chrono::seconds(30)) : "";
}

void ScriptedProxy::Run() {
  while (!stopping_) {
    const core::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.ok()) return;
    // A silent client must not block other clients.
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string request = WholeRequest(socket.get());
    if (request.empty()) continue;
    const std::string answer = AnswerTo(request);
    for (std::size_t at = 0; at < answer.size();) {
      const auto sent = ::send(socket.get(), answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
  }
}

}  // namespace tunehub::test
