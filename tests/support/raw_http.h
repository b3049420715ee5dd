// A client that sends the given bytes, even bytes that no HTTP client sends, with or without TLS.
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

  // The header's value; empty if the answer does not have it.
  std::string Header(const std::string& name) const;
  // The next page's address in the answer's Link header; empty if there is none.
  std::string NextPage() const;
};
// Returns an answer with this status. Throws the body of any other answer.
RawAnswer Good(RawAnswer answer, int status = 200);

class RawHttp {
 public:
  enum class Body { kExpected, kNone };  // kNone: an answer to HEAD has no body

  // `tls`: a client's context; null: no TLS. Throws if nobody listens or if the handshake fails.
  explicit RawHttp(unsigned short port, ssl_ctx_st* tls = nullptr) : RawHttp() {
    Connect(port, tls);
  }
  RawHttp();  // a socket that is not connected yet
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  void Connect(unsigned short port, ssl_ctx_st* tls = nullptr);
  // Makes TLS's handshake on a connected socket. Returns the reason of a failure, or "". `session`:
  // one to resume.
  std::string Secure(ssl_ctx_st* tls, ssl_session_st* session = nullptr);
  ssl_st* tls() const { return tls_.get(); }
  // Binds to an address of this host, such as 127.0.0.2. Call this before Connect().
  void From(const char* address);
  // Makes the receive buffer so small that the server notices a slow reader. Call this before
  // Connect().
  void ShrinkReceiveBuffer();

  // False if the server has closed the connection.
  bool Send(std::string_view bytes);
  void HalfClose();
  void Reset();  // closes with RST

  // The next answer; nothing if the server closed or was silent before the answer was complete.
  std::optional<RawAnswer> Read(Body body = Body::kExpected);
  std::optional<RawAnswer> Exchange(std::string_view request, Body body = Body::kExpected);
  // Like Exchange(), but throws if there is no answer.
  RawAnswer Ask(std::string_view request, Body body = Body::kExpected) {
    return Exchange(request, body).value();
  }
  // Everything that arrives until the server closes or the time limit is over.
  std::string ReadToEnd(std::chrono::milliseconds limit = std::chrono::seconds(60));
  // True if the server closes within the limit and sends nothing more.
  bool Closes(std::chrono::milliseconds limit = std::chrono::seconds(60));
  // True if the server sends nothing for that time.
  bool StaysSilent(std::chrono::milliseconds time);
  // True if the last read failed because the server reset the connection.
  bool was_reset() const { return was_reset_; }
  // The SHA-256 digest of the server's certificate.
  std::string certificate() const;
  // True if the server has sent TLS's close_notify.
  bool heard_farewell() const;

 private:
  enum class Event { kBytes, kEnd, kSilence };
  Event Receive(std::chrono::milliseconds limit);
  Event ReceiveTls(std::chrono::milliseconds limit);
  // Waits until the socket is ready for TLS to continue; false after the limit or if TLS failed.
  bool AwaitTls(int returned, std::chrono::milliseconds limit);
  bool FillTo(std::size_t size);

  int socket_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  std::string buffer_;
  bool was_reset_ = false;
};

}  // namespace tunehub::test
