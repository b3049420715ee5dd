// Word of commits, by LISTEN on a connection of its own, because it waits.
#pragma once

#include <chrono>
#include <memory>
#include <pqxx/pqxx>

#include "server/store/connection/connection_pool.h"

namespace tunehub::store {

class Listener {
 public:
  explicit Listener(ConnectionPool& pool) : pool_(pool) {}

  // Blocks up to `timeout_ms` for word of a commit by any server; true if there was one. From one
  // thread only. Throws Unavailable when the connection is lost; the next call connects again.
  bool AwaitChange(int timeout_ms);

 private:
  struct Receiver : pqxx::notification_receiver {
    explicit Receiver(pqxx::connection& connection)
        : notification_receiver(connection, "tunehub") {}
    void operator()(const std::string&, int) override { ++count; }
    int count = 0;
  };

  ConnectionPool& pool_;
  std::unique_ptr<WatchedConnection> connection_;
  std::unique_ptr<Receiver> receiver_;
  std::chrono::steady_clock::time_point opened_;
};

}  // namespace tunehub::store
