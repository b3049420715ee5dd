#include "tests/support/raw_http.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tunehub::test {
namespace {

using Clock = std::chrono::steady_clock;

// For an answer that must come. It is long because sanitizers are slow.
constexpr std::chrono::seconds kRawHttpPatience{60};

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

RawAnswer ParseHead(const std::string& head) {
  RawAnswer answer;
  answer.status = std::stoi(head.substr(head.find(' ') + 1));
  for (std::size_t line = head.find("\r\n") + 2; line < head.size();) {
    const std::size_t end = head.find("\r\n", line);
    const std::size_t colon = head.find(": ", line);
    answer.headers[Lower(head.substr(line, colon - line))] =
        head.substr(colon + 2, end - colon - 2);
    line = end + 2;
  }
  return answer;
}

// The result of a connect() that a signal interrupted. The kernel continues to connect meanwhile.
int EndOfConnecting(int socket) {
  pollfd waiting{.fd = socket, .events = POLLOUT, .revents = 0};
  while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

std::string RawAnswer::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string RawAnswer::NextPage() const {
  const std::string link = Header("link");
  return link.empty() ? "" : link.substr(1, link.find('>') - 1);
}

RawAnswer Good(RawAnswer answer, int status) {
  if (answer.status == status) return answer;
  throw std::runtime_error(std::to_string(answer.status) + " " + answer.body);
}

RawHttp::RawHttp()
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), tls_(nullptr, SSL_free) {
  if (socket_ < 0) throw std::system_error(errno, std::generic_category(), "socket");
}

RawHttp::~RawHttp() {
  // Otherwise OpenSSL marks the session as broken and does not resume it.
  if (tls_) SSL_set_shutdown(tls_.get(), SSL_SENT_SHUTDOWN | SSL_get_shutdown(tls_.get()));
  ::close(socket_);
}

void RawHttp::Connect(unsigned short port, ssl_ctx_st* tls) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int error = 0;
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    error = errno == EINTR ? EndOfConnecting(socket_) : errno;
  if (error != 0) throw std::system_error(error, std::generic_category(), "connect");
  if (tls == nullptr) return;
  if (const std::string why = Secure(tls); !why.empty())
    throw std::system_error(ECONNABORTED, std::generic_category(), why);
}

void RawHttp::From(const char* address) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  ::inet_pton(AF_INET, address, &own.sin_addr);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind");
  }
}

std::string RawHttp::Secure(ssl_ctx_st* tls, ssl_session_st* session) {
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  tls_.reset(SSL_new(tls));
  SSL_set_fd(tls_.get(), socket_);
  if (session != nullptr) SSL_set_session(tls_.get(), session);
  for (;;) {
    ERR_clear_error();
    const int returned = SSL_connect(tls_.get());
    if (returned == 1) return "";
    if (AwaitTls(returned, kRawHttpPatience)) continue;
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    ERR_clear_error();
    return reason != nullptr ? reason : "no answer to the handshake";
  }
}

bool RawHttp::AwaitTls(int returned, std::chrono::milliseconds limit) {
  const int wants = SSL_get_error(tls_.get(), returned);
  if (wants != SSL_ERROR_WANT_READ && wants != SSL_ERROR_WANT_WRITE) return false;
  const short events = wants == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
  pollfd poll_socket{.fd = socket_, .events = events, .revents = 0};
  return ::poll(&poll_socket, 1, static_cast<int>(limit.count())) > 0;
}

void RawHttp::ShrinkReceiveBuffer() {
  const int bytes = 4096;
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

bool RawHttp::Send(std::string_view bytes) {
  while (tls_ && !bytes.empty()) {
    std::size_t sent = 0;
    ERR_clear_error();
    const int returned = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &sent);
    if (returned != 1 && !AwaitTls(returned, kRawHttpPatience)) return false;
    bytes.remove_prefix(sent);
  }
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawHttp::HalfClose() {
  if (tls_) SSL_shutdown(tls_.get());
  ::shutdown(socket_, SHUT_WR);
}

void RawHttp::Reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(socket_);
  socket_ = -1;
}

std::string RawHttp::certificate() const {
  const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get1_peer_certificate(tls_.get()),
                                                          X509_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  X509_digest(shown.get(), EVP_sha256(), digest.data(), &size);
  return {digest.begin(), digest.begin() + size};
}

bool RawHttp::heard_farewell() const {
  return tls_ && (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

RawHttp::Event RawHttp::ReceiveTls(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  std::array<char, 65536> chunk;
  for (;;) {
    std::size_t got = 0;
    ERR_clear_error();
    const int returned = SSL_read_ex(tls_.get(), chunk.data(), chunk.size(), &got);
    if (returned == 1) {
      buffer_.append(chunk.data(), got);
      return Event::kBytes;
    }
    if (SSL_get_error(tls_.get(), returned) != SSL_ERROR_WANT_READ) {
      was_reset_ = errno == ECONNRESET && !heard_farewell();
      return Event::kEnd;
    }
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (rest.count() <= 0 || !AwaitTls(returned, rest)) return Event::kSilence;
  }
}

RawHttp::Event RawHttp::Receive(std::chrono::milliseconds limit) {
  if (tls_) return ReceiveTls(limit);
  pollfd poll_socket{.fd = socket_, .events = POLLIN, .revents = 0};
  if (::poll(&poll_socket, 1, static_cast<int>(limit.count())) <= 0) return Event::kSilence;
  std::array<char, 65536> chunk;
  const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (got > 0) {
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return Event::kBytes;
  }
  was_reset_ = got < 0;
  return Event::kEnd;
}

bool RawHttp::FillTo(std::size_t size) {
  while (buffer_.size() < size) {
    if (Receive(kRawHttpPatience) != Event::kBytes) return false;
  }
  return true;
}

std::optional<RawAnswer> RawHttp::Read(Body body) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (Receive(kRawHttpPatience) != Event::kBytes) return std::nullopt;
  }
  RawAnswer answer = ParseHead(buffer_.substr(0, end + 2));
  buffer_.erase(0, end + 4);
  const std::string length = answer.Header("content-length");
  if (body == Body::kNone || length.empty()) return answer;
  if (!FillTo(std::stoul(length))) return std::nullopt;
  answer.body = buffer_.substr(0, std::stoul(length));
  buffer_.erase(0, answer.body.size());
  return answer;
}

std::optional<RawAnswer> RawHttp::Exchange(std::string_view request, Body body) {
  Send(request);
  return Read(body);
}

std::string RawHttp::ReadToEnd(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (Clock::now() < until && Receive(std::chrono::milliseconds(50)) != Event::kEnd) {
  }
  return std::exchange(buffer_, {});
}

bool RawHttp::Closes(std::chrono::milliseconds limit) {
  return buffer_.empty() && Receive(limit) == Event::kEnd;
}

bool RawHttp::StaysSilent(std::chrono::milliseconds time) {
  return buffer_.empty() && Receive(time) == Event::kSilence;
}

}  // namespace tunehub::test
