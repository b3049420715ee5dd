#include "server/tls/engine.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <system_error>

#include "server/tls/context.h"

namespace tunehub::tls {
namespace {

// Returns the bytes of the next record: a head together with the start of its body. With two
// records, a client that reads record by record would wake twice and make two system calls.
std::string_view NextRecord(std::string_view head, std::string_view body) {
  thread_local std::array<char, SSL3_RT_MAX_PLAIN_LENGTH> joined;
  if (head.empty()) return body;
  if (body.empty() || head.size() >= joined.size()) return head;
  auto* const end = std::copy(head.begin(), head.end(), joined.begin());
  body = body.substr(0, joined.size() - head.size());
  std::copy(body.begin(), body.end(), end);
  return {joined.data(), head.size() + body.size()};
}

}  // namespace

Engine::Engine(SSL_CTX* context, int socket) : ssl_(SSL_new(context), SSL_free) {
  if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), socket) != 1) throw std::bad_alloc();
  SSL_set_accept_state(ssl_.get());
}

Turn::Then Engine::Verdict(int returned) {
  const int reason = SSL_get_error(ssl_.get(), returned);
  if (reason == SSL_ERROR_WANT_READ) return Turn::Then::kAwaitRead;
  if (reason == SSL_ERROR_WANT_WRITE) return Turn::Then::kAwaitWrite;
  if (reason == SSL_ERROR_ZERO_RETURN) return Turn::Then::kEnd;
  why_ = reason == SSL_ERROR_SYSCALL ? std::generic_category().message(errno)
                                     : TakeOpensslError("without a reason");
  broken_ = true;
  return Turn::Then::kFailed;
}

Turn Engine::Handshake() {
  ERR_clear_error();  // an old error may be from another connection on this thread
  const int returned = SSL_do_handshake(ssl_.get());
  return {.bytes = 0, .then = returned == 1 ? Turn::Then::kDone : Verdict(returned)};
}

bool Engine::resumed() const {
  return SSL_session_reused(ssl_.get()) == 1;
}

Turn Engine::Read(void* to, std::size_t size) {
  ERR_clear_error();
  Turn turn;
  const int returned = SSL_read_ex(ssl_.get(), to, size, &turn.bytes);
  if (returned != 1) turn.then = Verdict(returned);
  return turn;
}

Turn Engine::Write(std::string_view head, std::string_view body) {
  ERR_clear_error();
  Turn turn;
  for (;;) {
    const std::string_view record = NextRecord(head, body);
    if (record.empty()) return turn;
    std::size_t written = 0;
    const int returned = SSL_write_ex(ssl_.get(), record.data(), record.size(), &written);
    if (returned != 1) {
      const Turn::Then then = Verdict(returned);
      write_waits_ = then == Turn::Then::kAwaitWrite || then == Turn::Then::kAwaitRead;
      if (turn.bytes == 0 || !write_waits_) turn.then = then;
      return turn;
    }
    write_waits_ = false;
    turn.bytes += written;
    const std::size_t of_head = std::min(written, head.size());
    head.remove_prefix(of_head);
    body.remove_prefix(written - of_head);
  }
}

void Engine::Farewell() {
  // After a record that was sent in part, no other record may follow.
  if (broken_ || write_waits_ || SSL_is_init_finished(ssl_.get()) != 1) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace tunehub::tls
