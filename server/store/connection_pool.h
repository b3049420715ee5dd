// A bounded set of PostgreSQL connections. A connection that broke is dropped, never used again:
// libpqxx 6 would reconnect it silently, without its settings and temporary tables.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace tunehub::store {

struct PoolOptions {
  std::size_t size = 4;                   // as many as there are workers that may want one
  std::chrono::milliseconds wait{5'000};  // for a free one; then Unavailable
  std::chrono::milliseconds retry_after{
      500};  // between attempts to connect to a database that is gone
};

class ConnectionPool {
 public:
  ConnectionPool(std::string url, PoolOptions options);

  // Runs `use(connection)` with a connection of its own. Throws Unavailable (store/errors.h) where
  // the database is gone or does not answer in time; what `use` throws passes through, mapped
  // likewise.
  template <typename Use>
  auto With(Use use) {
    Lease lease(*this);
    try {
      return use(lease.connection());
    } catch (...) {
      lease.Drop();
      RethrowMapped();
    }
  }

  // A new connection outside the pool, set up the same way (for LISTEN).
  std::unique_ptr<pqxx::connection> Open() const;

 private:
  class Lease {
   public:
    explicit Lease(ConnectionPool& pool) : pool_(pool), connection_(pool.Take()) {}
    ~Lease() { pool_.Return(std::move(connection_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    pqxx::connection& connection() { return *connection_; }
    // After any exception: an open transaction or a broken socket must not reach the next user.
    // Where one socket broke, the idle ones most likely did, too.
    void Drop() {
      const bool broken = !connection_->is_open();
      connection_.reset();
      if (broken) pool_.DropIdle();
    }

   private:
    ConnectionPool& pool_;
    std::unique_ptr<pqxx::connection> connection_;
  };

  std::unique_ptr<pqxx::connection> Take();
  void Return(std::unique_ptr<pqxx::connection> connection);
  void DropIdle();
  // Maps what libpqxx throws for a lost database to Unavailable; everything else goes on as it is.
  [[noreturn]] static void RethrowMapped();

  const std::string url_;
  const PoolOptions options_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<pqxx::connection>> idle_;  // guarded by mutex_
  std::size_t open_ = 0;                                 // guarded by mutex_: idle and leased
  std::chrono::steady_clock::time_point not_before_{};   // guarded by mutex_
};

}  // namespace tunehub::store
