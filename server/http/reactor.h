// One thread, one io_context, one listening socket, and the connections it accepted.
// Included by listener.cpp only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>  // Boost 1.74 uses std::exchange without it

#include "server/http/session.h"
#include "server/tls/identity.h"

namespace tunehub::http {

using Acceptor = net::basic_socket_acceptor<Tcp, net::io_context::executor_type>;
using Timer = net::basic_waitable_timer<Connection::Clock, net::wait_traits<Connection::Clock>,
                                        net::io_context::executor_type>;

constexpr std::chrono::milliseconds kNoDescriptorsPause{
    50};  // without this pause, accept() would fail again at once, in an endless loop

class Reactor {
 public:
  explicit Reactor(ServerState& state)
      : state_(state), acceptor_(context_), pause_(context_), sweep_(context_) {}

  // Throws boost::system::system_error. Reactors share one port.
  void Listen(const Tcp::endpoint& endpoint) {
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(net::socket_base::reuse_address(true));
    acceptor_.set_option(net::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true));
    acceptor_.bind(endpoint);
    acceptor_.listen();
  }
  Tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

  void Start() {
    Accept();
    ScheduleSweep();
    thread_ = std::thread([this] { Run(); });
  }

  // Other threads may call the next three functions. Requests in progress continue.
  void StopAccepting() {
    net::post(context_, [this] {
      stopping_ = true;
      ErrorCode ignored;
      (void)acceptor_.close(ignored);
      (void)pause_.cancel();
      connections_.ForEach([](Connection& connection) { connection.CloseIfIdle(); });
    });
  }
  void CloseAll() {
    net::post(context_,
              [this] { connections_.ForEach([](Connection& connection) { connection.Close(); }); });
  }
  // Waits until the last handler has run. Call CloseAll() first.
  void Join() {
    net::post(context_, [this] {
      finished_ = true;
      sweep_.cancel();
    });
    if (thread_.joinable()) thread_.join();
  }

 private:
  using ErrorCode = RequestParser::ErrorCode;

  // An exception in one connection's handler must not end the process.
  void Run() {
    // sendfile() has no MSG_NOSIGNAL. SIGPIPE goes to the calling thread alone, so only this thread
    // blocks it.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    while (true) {
      try {
        context_.run();
        return;
      } catch (const std::exception& error) {
        LogEscaped(error.what());
      }
    }
  }

  // Accepts connections. Continues after a failure of one connection.
  void Accept() {
    try {
      AcceptNext();
      accepting_ = true;
    } catch (const std::exception& error) {
      accepting_ = false;  // the next sweep tries again
      LogEscaped(error.what());
    }
  }

  void AcceptNext() {
    acceptor_.async_accept([this](const ErrorCode& error, PlainStream socket) {
      accepting_ = false;
      if (stopping_) return;
      if (error == net::error::no_descriptors || error == net::error::no_buffer_space ||
          error == net::error::no_memory ||
          error == boost::system::errc::too_many_files_open_in_system) {
        return AcceptLater();
      }
      if (!error) TryToOpen(std::move(socket));
      Accept();
    });
  }

  void TryToOpen(PlainStream socket) {
    try {
      Open(std::move(socket));
    } catch (const std::exception& error) {
      LogEscaped(error.what());
    }
  }

  void AcceptLater() {
    (void)pause_.expires_after(kNoDescriptorsPause);
    pause_.async_wait([this](const ErrorCode&) {
      if (!stopping_) Accept();
    });
    accepting_ = true;
  }

  void Open(PlainStream socket) {
    ErrorCode error;
    const auto peer = socket.remote_endpoint(error);
    if (error) return;  // the client has left already
    (void)socket.set_option(Tcp::no_delay(true), error);
    (void)socket.native_non_blocking(true, error);
    if (!state_.options.tls) return Begin(std::move(socket), peer.address().to_string());
    TlsStream secured(std::move(socket), state_.options.tls->context().get());
    Begin(std::move(secured), peer.address().to_string());
  }

  template <typename Stream>
  void Begin(Stream stream, const std::string& address) {
    Peer peer = state_.PeerOf(address);
    ShareCharge place(state_.places, peer.client);
    bool has_place = place.Add(1);
    if (!has_place && MakeRoom(peer.client)) {
      place.Force(1);  // MakeRoom closed a connection, which soon returns its place
      has_place = true;
    }
    if (!has_place) {
      state_.Refuse(Room::kConnections);
      place = ShareCharge(state_.refused);
      if (!place.Add(1)) return;
    }
    auto session = std::make_shared<Session<Stream>>(std::move(stream), std::move(peer),
                                                     std::move(place), state_, connections_);
    connections_.Add(session);
    if (has_place) return session->Start();
    session->Reject(Busy("Too many connections"));
  }

  // Makes room for `client`: closes the longest waiting connection of the client with the most
  // connections. Returns false if `client` has as many connections, or if this reactor has no
  // waiting connection to close.
  bool MakeRoom(const std::string& client) {
    const std::string largest = state_.places.Largest();
    if (largest.empty()) return false;  // there are only proxies, each with many clients
    const std::size_t own = client.empty() ? 0 : state_.places.HeldBy(client);
    if (state_.places.HeldBy(largest) <= own + 1) return false;
    Connection* oldest = nullptr;
    connections_.ForEach([&](Connection& connection) {
      if (connection.client() != largest || !connection.WaitsSince()) return;
      if (!oldest || *connection.WaitsSince() < *oldest->WaitsSince()) oldest = &connection;
    });
    if (oldest == nullptr) return false;
    oldest->Close();
    return true;
  }

  // One timer for all deadlines of a reactor. (A timer per connection would have to be set at every
  // request.) A deadline may be late by an eighth of its time.
  void ScheduleSweep() {
    sweep_.expires_after(SweepInterval());
    sweep_.async_wait([this](const ErrorCode&) {
      if (finished_) return;
      if (!accepting_ && !stopping_) Accept();
      try {
        const auto now = Connection::Clock::now();
        connections_.ForEach([now](Connection& connection) { connection.Sweep(now); });
        state_.files.Sweep();
      } catch (const std::exception& failed) {
        LogEscaped(failed.what());
      }
      ScheduleSweep();
    });
  }

  std::chrono::milliseconds SweepInterval() const {
    const Limits& limits = state_.options.limits;
    const auto shortest = std::min({limits.handshake_deadline, limits.header_deadline,
                                    limits.body_deadline, limits.idle_deadline,
                                    limits.write_deadline, std::chrono::milliseconds(kLingerTime)});
    return std::max(shortest / 8, std::chrono::milliseconds(5));
  }

  ServerState& state_;
  net::io_context context_{1};
  Acceptor acceptor_;
  Timer pause_;
  Timer sweep_;
  ConnectionSet connections_;
  bool accepting_ = false;
  bool stopping_ = false;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace tunehub::http
