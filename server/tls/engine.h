// TLS on one connected socket that does not block. Each call does what it can at once, and answers
// what the next call must wait for. For one thread.
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
    kAwaitWrite,  // repeat it when the socket is writable, with the same bytes at any address
    kEnd,         // the peer will send nothing more
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
  // Writes `head`, then `body`. Puts the start of `body` into the record of `head`.
  Turn Write(std::string_view head, std::string_view body);
  // Tells the peer, if this needs no waiting, that the server writes no more. Reading goes on.
  void Farewell();

  const std::string& why() const { return why_; }

 private:
  Turn::Then Verdict(int returned);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> ssl_;
  bool write_waits_ = false;  // a record was perhaps sent in part
  bool broken_ = false;       // OpenSSL must not be called any more
  std::string why_;
};

}  // namespace tunehub::tls
