// How a Session begins: at once on a socket, after a handshake where it is TLS.
#pragma once

#include "server/http/session.h"

namespace tunehub::http {

// `refusal`: what the first request is answered, unread.
template <typename Stream>
void Session<Stream>::Secure(std::optional<Response> refusal) {
  if constexpr (kIsSocket) {
    Begin(std::move(refusal));
  } else {
    phase_ = Phase::kHandshake;
    deadline_ = Clock::now() + limits().handshake_deadline;
    stream_.async_handshake(
        [self = Self(), refusal = std::move(refusal)](const ErrorCode& error) mutable {
          self->OnSecured(error, std::move(refusal));
        });
  }
}

template <typename Stream>
void Session<Stream>::OnSecured(ErrorCode error, std::optional<Response> refusal) {
  if constexpr (!kIsSocket) {
    if (phase_ != Phase::kHandshake) return;  // its deadline was earlier
    if (!error) {
      state_.CountHandshake(stream_.resumed());
      return Begin(std::move(refusal));
    }
    state_.handshakes_failed.fetch_add(1, std::memory_order_relaxed);
    LogHandshake(peer_.address, stream_.why());
    stream_.BecomePlain();
    // What OpenSSL has to say of it, an alert, has been sent; the client may still be sending.
    if (error != boost::system::errc::wrong_protocol_type) return Linger();
    NewRequest();
    RefuseAndClose(WantsTls());
  }
}

template <typename Stream>
void Session<Stream>::Begin(std::optional<Response> refusal) {
  NewRequest();
  if (refusal) return RefuseAndClose(*std::move(refusal));
  phase_ = Phase::kIdle;
  deadline_ = Clock::now() + limits().header_deadline;
  Read();
}

}  // namespace tunehub::http
