#include "tests/support/socket_hub.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "core/base/text.h"

namespace tunehub::test {
namespace {

std::shared_ptr<SSL_CTX> ServerContext(const Identity& identity) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const auto read = [](const std::string& pem) {
    return std::unique_ptr<BIO, decltype(&BIO_free)>(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  };
  X509* const certificate =
      PEM_read_bio_X509(read(identity.certificate).get(), nullptr, nullptr, nullptr);
  EVP_PKEY* const key =
      PEM_read_bio_PrivateKey(read(identity.key).get(), nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context.get(), certificate);
  SSL_CTX_use_PrivateKey(context.get(), key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return context;
}

std::string HttpText(const std::string& head, const std::string& body, const char* more) {
  return "HTTP/1.1 " + head + "\r\n" + more + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace

bool IsWholeRequest(const std::string& request) {
  if (!request.empty() && (request[0] < 'A' || request[0] > 'Z')) return true;
  const std::size_t head = request.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  const std::string lower = core::Lower(request.substr(0, head));
  const std::size_t length = lower.find("content-length:");
  const std::size_t body =
      length == std::string::npos ? 0 : std::stoul(lower.substr(lower.find(':', length) + 1));
  return request.size() >= head + 4 + body;
}

core::Fd ListenOnLoopback(int& port) {
  core::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), any, size) != 0 || ::listen(listener.get(), 16) != 0 ||
      ::getsockname(listener.get(), any, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "a listening socket");
  }
  port = ntohs(address.sin_port);
  return listener;
}

class SocketHub::Peer {
 public:
  Peer(core::Fd socket, SSL_CTX* tls)
      : socket_(std::move(socket)), ssl_(tls == nullptr ? nullptr : SSL_new(tls), SSL_free) {}

  // False if the handshake failed.
  bool Begin() {
    if (!ssl_) return true;
    SSL_set_fd(ssl_.get(), socket_.get());
    return SSL_accept(ssl_.get()) == 1;
  }
  // A client's next request; "" if the client closed first.
  std::string Request() {
    std::string request;
    std::array<char, 4096> buffer{};
    while (!IsWholeRequest(request)) {
      const auto got = ssl_ ? SSL_read(ssl_.get(), buffer.data(), buffer.size())
                            : ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return "";
      request.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return request;
  }
  void Send(const std::string& text) {
    if (text.empty()) return;
    if (ssl_) {
      SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
    } else {
      ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
  }
  core::Fd Release() { return std::move(socket_); }

 private:
  core::Fd socket_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

ScriptedAnswer SocketHub::Closing(const std::string& head, const std::string& body) {
  return {HttpText(head, body, "Connection: close\r\n"), ScriptedAnswer::Then::kClose};
}

ScriptedAnswer SocketHub::Keeping(const std::string& head, const std::string& body) {
  return {HttpText(head, body, ""), ScriptedAnswer::Then::kStay};
}

SocketHub::SocketHub(std::deque<ScriptedAnswer> answers, std::optional<Identity> identity)
    : answers_(std::move(answers)) {
  if (identity) tls_ = ServerContext(*identity);
  listener_ = ListenOnLoopback(port_);
  thread_ = std::thread([this] { Serve(); });
}

SocketHub::~SocketHub() {
  if (thread_.joinable()) Requests();
}

std::vector<std::string> SocketHub::Requests() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  return requests_;
}

void SocketHub::Serve() {
  // A client that closes early must not end the test.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (!answers_.empty()) {
    core::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.ok()) return;
    // A client that keeps its connection open must not block the test.
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ++connections_;
    Peer peer(std::move(socket), tls_.get());
    if (peer.Begin()) Converse(peer);
  }
  ::shutdown(listener_.get(), SHUT_RDWR);
}

void SocketHub::Converse(Peer& peer) {
  while (!answers_.empty()) {
    const std::string request = peer.Request();
    if (request.empty()) return;
    requests_.push_back(request);
    const ScriptedAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    peer.Send(answer.text);
    if (answer.then == ScriptedAnswer::Then::kSilent) silent_.push_back(peer.Release());
    if (answer.then != ScriptedAnswer::Then::kStay) return;
  }
}

}  // namespace tunehub::test
