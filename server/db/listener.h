// Receives notifications of commits by LISTEN. It has its own connection, because it waits most of
// the time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <pqxx/pqxx>

#include "server/db/connection_pool.h"

namespace tunehub::server {

class Listener {
 public:
  explicit Listener(ConnectionPool& pool) : pool_(pool) {}

  // Waits up to `timeout_ms` for a commit by any server. Returns true after a commit. Call it from
  // one thread only. Throws Unavailable if the connection breaks; the next call connects again.
  bool AwaitChange(int timeout_ms);
  // True if the database was read-only at AwaitChange's last check.
  bool ReadOnly() const { return read_only_; }

 private:
  struct Receiver : pqxx::notification_receiver {
    explicit Receiver(pqxx::connection& connection)
        : notification_receiver(connection, "tunehub") {}
    void operator()(const std::string&, int) override { ++count; }
    int count = 0;
  };

  bool Hear(int timeout_ms);

  ConnectionPool& pool_;
  std::atomic<bool> read_only_{false};
  std::unique_ptr<WatchedConnection> connection_;
  std::unique_ptr<Receiver> receiver_;
  std::chrono::steady_clock::time_point opened_;
};

}  // namespace tunehub::server
