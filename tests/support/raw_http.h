// A client that sends the given bytes, also those that no HTTP client sends; plain or over TLS.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;
struct ssl_session_st;

namespace tunehub::test {

struct RawAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // The header's value; empty if the answer has no such header.
  std::string Header(const std::string& name) const;
  // Where the answer's Link leads for the next page; empty if there is none.
  std::string NextPage() const;
};
// Returns an answer of that status; throws the body of any other answer.
RawAnswer Good(RawAnswer answer, int status = 200);

class RawHttp {
 public:
  enum class Body { kExpected, kNone };  // kNone: an answer to HEAD has no body

  // `tls`: a client's context; null: plain. Throws if nobody listens or the handshake fails.
  explicit RawHttp(unsigned short port, ssl_ctx_st* tls = nullptr) : RawHttp() {
    Connect(port, tls);
  }
  RawHttp();  // a socket that is not connected yet
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  void Connect(unsigned short port, ssl_ctx_st* tls = nullptr);
  // TLS's handshake on a connected socket. Returns why it fails, or "". `session`: one to resume.
  std::string Secure(ssl_ctx_st* tls, ssl_session_st* session = nullptr);
  ssl_st* tls() const { return tls_.get(); }
  // Binds to an address of this host, such as 127.0.0.2. Call before Connect().
  void From(const char* address);
  // Makes the receive buffer so small that the server notices a slow reader. Call before Connect().
  void ShrinkReceiveBuffer();

  // False if the server has closed the connection.
  bool Send(std::string_view bytes);
  void HalfClose();
  void Reset();  // closes with RST

  // The next answer; nothing: the server closed or stayed silent before the answer was whole.
  std::optional<RawAnswer> Read(Body body = Body::kExpected);
  std::optional<RawAnswer> Exchange(std::string_view request, Body body = Body::kExpected);
  // Like Exchange(); throws without an answer.
  RawAnswer Ask(std::string_view request, Body body = Body::kExpected) {
    return Exchange(request, body).value();
  }
  // Everything up to the server's close or to the time limit.
  std::string ReadToEnd(std::chrono::milliseconds limit = std::chrono::seconds(60));
  // True: the server closes within the limit and sends nothing more.
  bool Closes(std::chrono::milliseconds limit = std::chrono::seconds(60));
  // True: the server sends nothing for that time.
  bool StaysSilent(std::chrono::milliseconds time);
  // True: the last read failed because the server reset the connection.
  bool was_reset() const { return was_reset_; }
  // The SHA-256 digest of the server's certificate.
  std::string certificate() const;
  // True: the server has sent TLS's close_notify.
  bool heard_farewell() const;

 private:
  enum class Event { kBytes, kEnd, kSilence };
  Event Receive(std::chrono::milliseconds limit);
  Event ReceiveTls(std::chrono::milliseconds limit);
  // Waits until the socket is ready for what TLS waits for; false after the limit or if TLS failed.
  bool AwaitTls(int returned, std::chrono::milliseconds limit);
  bool FillTo(std::size_t size);

  int socket_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  std::string buffer_;
  bool was_reset_ = false;
};

}  // namespace tunehub::test
