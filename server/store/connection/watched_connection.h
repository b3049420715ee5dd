// A connection that can be let go of while libpq waits in it for an answer.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "server/store/connection/timelines.h"

namespace tunehub::store {

// Whom a connection has found: of several the URL names, or of several addresses of one name.
struct Host {
  std::string name, port;  // as in the URL, or by default; a folder where there is a socket
  std::string address;     // as a number; "" where there is a socket

  auto operator<=>(const Host&) const = default;
};

// A connection's socket, beside libpq, whose descriptor goes with the connection and may be another
// file's a moment later. Safe from any thread.
class WatchedSocket {
 public:
  using Clock = std::chrono::steady_clock;

  // Somebody asks, or keeps the connection for himself, for as long as this lives.
  class Use {
   public:
    explicit Use(WatchedSocket& socket) : socket_(socket) { socket_.Begin(); }
    ~Use() { socket_.End(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    WatchedSocket& socket_;
  };

  WatchedSocket(int socket, Host host);
  ~WatchedSocket();
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;

  const Host& host() const { return host_; }
  void Begin() { since_ = Clock::now(); }
  void End() { since_ = kUnused; }
  bool IsUsedSince(Clock::time_point moment) const { return since_.load() <= moment; }

  // Whoever waits in it reads the end of the file, as of a database that has died.
  void Shut();
  bool is_shut() const { return shut_; }

 private:
  static constexpr Clock::time_point kUnused = Clock::time_point::max();

  const int socket_;  // a descriptor of its own; -1 where there is none
  const Host host_;
  std::atomic<Clock::time_point> since_{kUnused};
  std::atomic<bool> shut_{false};
};

class WatchedConnection final : public pqxx::connection {
 public:
  // Throws as pqxx::connection.
  explicit WatchedConnection(const std::string& url);

  const std::shared_ptr<WatchedSocket>& socket() const { return socket_; }
  // That of the server when it was asked. A primary keeps it for as long as its connections live.
  const Timeline& timeline() const { return timeline_; }
  void AskTimeline();

 private:
  std::shared_ptr<WatchedSocket> socket_;
  Timeline timeline_;
};

}  // namespace tunehub::store
