// TLS around an accepted socket, as an Asio stream. Only listener.cpp includes this file.
//
// This stream has no buffers. So an idle connection needs only the memory of OpenSSL's state, and
// OpenSSL decrypts into the reader's memory. Asio's own TLS stream needs 70 KB of buffers per
// connection, and writes a head and its body as two records. This stream can also answer a client
// in plain HTTP.
#pragma once

#include <sys/socket.h>

#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // Boost 1.74 uses std::exchange without it

#include "server/tls/engine.h"

namespace tunehub::http {

namespace net = boost::asio;
using Tcp = net::ip::tcp;
// The concrete executor saves a virtual call and an allocation per operation.
using PlainStream = net::basic_stream_socket<Tcp, net::io_context::executor_type>;

class TlsStream {
 public:
  using ErrorCode = boost::system::error_code;
  using executor_type = PlainStream::executor_type;
  using lowest_layer_type = PlainStream;

  TlsStream(PlainStream socket, ssl_ctx_st* context)
      : socket_(std::move(socket)), engine_(std::in_place, context, socket_.native_handle()) {}

  executor_type get_executor() { return socket_.get_executor(); }
  lowest_layer_type& lowest_layer() { return socket_; }

  // Calls handler(ErrorCode). wrong_protocol_type means that the client uses plain HTTP, and the
  // stream has read none of its bytes.
  template <typename Handler>
  void async_handshake(Handler handler) {
    socket_.async_wait(PlainStream::wait_read,
                       [this, handler = std::move(handler)](const ErrorCode& error) mutable {
                         if (error) return handler(error);
                         if (BeginsInPlainHttp()) return handler(WrongProtocol());
                         Shake(std::move(handler));
                       });
  }
  bool secured() const { return engine_.has_value(); }
  bool resumed() const { return engine_ && engine_->resumed(); }
  // The reason why the handshake failed.
  std::string why() const { return engine_ ? engine_->why() : std::string(); }

  template <typename Buffer, typename Handler>
  void async_read_some(const Buffer& buffer, Handler handler) {
    if (!engine_) return socket_.async_read_some(buffer, std::move(handler));
    const net::mutable_buffer to(buffer);
    const auto read = [this, to] { return engine_->Read(to.data(), to.size()); };
    Begin(read, std::move(handler));
  }

  // Writes the sequence's first two non-empty buffers: a head and its body.
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler handler) {
    if (!engine_) return socket_.async_write_some(buffers, std::move(handler));
    const auto write = [this, parts = FirstTwo(buffers)] {
      return engine_->Write(parts[0], parts[1]);
    };
    Begin(write, std::move(handler));
  }

  // Call it after the last write.
  void Farewell() {
    if (engine_) engine_->Farewell();
  }
  // From now on the stream is plain. Precondition: no operation is in progress.
  void BecomePlain() { engine_.reset(); }

 private:
  static ErrorCode WrongProtocol() {
    return make_error_code(boost::system::errc::wrong_protocol_type);
  }

  // A TLS record begins with a byte below ' ', an HTTP method with a letter.
  bool BeginsInPlainHttp() {
    char first = 0;
    return ::recv(socket_.native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT) == 1 &&
           first >= 'A' && first <= 'Z';
  }

  template <typename Buffers>
  static std::array<std::string_view, 2> FirstTwo(const Buffers& buffers) {
    std::array<std::string_view, 2> parts;
    std::size_t count = 0;
    for (auto it = net::buffer_sequence_begin(buffers);
         it != net::buffer_sequence_end(buffers) && count < parts.size(); ++it) {
      const net::const_buffer buffer(*it);
      if (buffer.size() == 0) continue;
      parts[count++] = {static_cast<const char*>(buffer.data()), buffer.size()};
    }
    return parts;
  }

  static ErrorCode ErrorOf(tls::Turn::Then then) {
    if (then == tls::Turn::Then::kEnd) return net::error::eof;
    if (then == tls::Turn::Then::kFailed) {
      return make_error_code(boost::system::errc::protocol_error);
    }
    return {};
  }

  template <typename Handler>
  void Shake(Handler handler) {
    Continue([this] { return engine_->Handshake(); }, engine_->Handshake(),
             [handler = std::move(handler)](const ErrorCode& error, std::size_t) mutable {
               handler(error);
             });
  }

  // Posts the end of an operation that completes at once. So no handler runs inside the call that
  // began the operation.
  template <typename Act, typename Handler>
  void Begin(Act act, Handler handler) {
    const tls::Turn turn = act();
    if (Waits(turn)) return Continue(std::move(act), turn, std::move(handler));
    net::post(get_executor(), [turn, handler = std::move(handler)]() mutable {
      handler(ErrorOf(turn.then), turn.bytes);
    });
  }

  static bool Waits(const tls::Turn& turn) {
    return turn.then == tls::Turn::Then::kAwaitRead || turn.then == tls::Turn::Then::kAwaitWrite;
  }

  template <typename Act, typename Handler>
  void Continue(Act act, const tls::Turn& turn, Handler handler) {
    if (!Waits(turn)) return handler(ErrorOf(turn.then), turn.bytes);
    const auto what =
        turn.then == tls::Turn::Then::kAwaitRead ? PlainStream::wait_read : PlainStream::wait_write;
    socket_.async_wait(what, [this, act = std::move(act),
                              handler = std::move(handler)](const ErrorCode& error) mutable {
      if (error) return handler(error, 0);
      // The socket is closed, or has become plain.
      if (!engine_ || !socket_.is_open()) return handler(net::error::operation_aborted, 0);
      const tls::Turn next = act();
      Continue(std::move(act), next, std::move(handler));
    });
  }

  PlainStream socket_;
  std::optional<tls::Engine> engine_;
};

}  // namespace tunehub::http
