// TLS on one connected non-blocking socket. Each call does as much as possible without waiting. It
// returns the event for which the caller must wait before the next call. Use it from one thread
// only.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace tunehub::tls {

struct Turn {
  enum class Then {
    kDone,        // `bytes` were read or written, or the handshake is over
    kAwaitRead,   // repeat the call when the socket is readable
    kAwaitWrite,  // repeat the call when the socket is writable, with the same bytes at any address
    kEnd,         // the peer will send no more
    kFailed,      // Engine::why() says why
  };
  std::size_t bytes = 0;
  Then then = Then::kDone;
};

class Engine {
 public:
  // The server's side of a connection. The caller keeps the socket open and closes it.
  Engine(ssl_ctx_st* context, int socket);

  Turn Handshake();
  bool resumed() const;
  Turn Read(void* to, std::size_t size);
  // Writes `head`, then `body`. The first record contains `head` and the start of `body`.
  Turn Write(std::string_view head, std::string_view body);
  // Sends TLS's close message to the peer, if this is possible without waiting. Reads remain
  // possible.
  void Farewell();

  const std::string& why() const { return why_; }

 private:
  Turn::Then Verdict(int returned);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  bool write_waits_ = false;  // true: perhaps a record was sent only in part
  bool broken_ = false;       // true: the engine must not call OpenSSL any more
  std::string why_;
};

}  // namespace tunehub::tls
