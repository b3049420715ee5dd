// A bounded set of PostgreSQL connections. The pool drops a broken connection, because libpqxx 6
// would reconnect it without its settings. It breaks connections to a host that hangs, and refuses
// an old primary (host_watch.h). It also replaces old connections, since the catalogue caches of a
// PostgreSQL session grow as long as the session lives.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/histogram.h"
#include "server/db/failures.h"
#include "server/db/host_watch.h"

namespace tunehub::server {

struct PoolOptions {
  std::size_t size = 6;  // one per worker that may need a connection
  // how long a caller waits for a free connection before Unavailable
  std::chrono::milliseconds wait{5'000};
  std::chrono::milliseconds retry_after{
      500};  // the pause between attempts to connect to an unreachable database
  std::chrono::milliseconds max_age{std::chrono::minutes(10)};  // older connections are replaced
  WatchTimes watch = {};
  std::chrono::milliseconds old_primary = kOldPrimaryLimit;
};

class ConnectionPool {
 public:
  ConnectionPool(std::string url, PoolOptions options = {});

  // Runs `use(connection)` on a connection that no other caller uses. Throws Unavailable
  // (failures.h) if the database does not answer in time. Exceptions of `use` pass through
  // RethrowMapped.
  template <typename Use>
  auto With(Use use) {
    Lease lease(*this);
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Use, pqxx::connection&>>) {
        use(lease.connection());
        lease.CheckTimeline();
      } else {
        auto answer = use(lease.connection());
        lease.CheckTimeline();
        return answer;
      }
    } catch (...) {
      lease.Drop();
      RethrowMapped();
    }
  }

  // For the end of the process: cancels running statements, and refuses connections with
  // Unavailable. A cancel between two statements of a thread has no effect. So call this function
  // again until no thread works.
  void Abandon();

  // Returns a new connection outside the pool (for LISTEN), with the same settings. The caller
  // marks each use with WatchedSocket::Use on the connection's socket. So the connection breaks if
  // the host hangs.
  std::unique_ptr<WatchedConnection> Open() const;
  // True if the connection's server has become an old primary.
  bool IsOld(const WatchedConnection& connection) const {
    return timelines_->IsLower(connection.timeline());
  }
  std::chrono::milliseconds max_age() const { return options_.max_age; }

  ConnectionFigures figures() const;
  // Seconds that callers waited for a free or a new connection.
  const core::Histogram& waits() const { return waits_; }

 private:
  struct Pooled {
    std::shared_ptr<WatchedConnection> connection;
    std::chrono::steady_clock::time_point opened;
  };

  class Lease {
   public:
    explicit Lease(ConnectionPool& pool) : pool_(pool), pooled_(pool.Take()) {}
    ~Lease() { pool_.Return(std::move(pooled_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    pqxx::connection& connection() { return *pooled_.connection; }
    // Throws Unavailable if an old primary gave the answer, which may lack later commits of the new
    // primary.
    void CheckTimeline();
    // Drops the connection after any exception, so that the next caller does not get an open
    // transaction or a broken socket. If this socket broke, also drops the idle connections,
    // because their sockets probably broke, too.
    void Drop() {
      const bool broken = !pooled_.connection->is_open();
      pool_.Forget(pooled_.connection);
      pooled_.connection.reset();
      if (broken) pool_.DropIdle();
    }

   private:
    ConnectionPool& pool_;
    Pooled pooled_;
  };

  bool IsSpent(const Pooled& pooled) const {
    return pooled.connection->socket()->is_shut() || IsOld(*pooled.connection) ||
           std::chrono::steady_clock::now() - pooled.opened >= options_.max_age;
  }
  std::unique_ptr<WatchedConnection> OpenAny() const;
  Pooled Take();
  Pooled TakeFreeOrNew();
  Pooled LendNew(std::unique_lock<std::mutex>& lock);
  void Count(Failure failure) {
    failures_[static_cast<std::size_t>(failure)].fetch_add(1, std::memory_order_relaxed);
  }
  Pooled Lend(Pooled pooled);  // call it with mutex_ locked
  void Forget(const std::shared_ptr<WatchedConnection>& connection);
  void Return(Pooled pooled);
  std::vector<Pooled> TakeSpent();  // idle connections to close; call it with mutex_ locked
  void DropIdle();
  // Maps libpqxx's exceptions for a lost or read-only database to Unavailable. Lets other
  // exceptions pass unchanged.
  [[noreturn]] void RethrowMapped();

  const std::string url_;
  const PoolOptions options_;
  core::Histogram waits_;
  std::array<std::atomic<std::uint64_t>, kFailures> failures_{};
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Pooled> idle_;                           // guarded by mutex_
  std::set<std::shared_ptr<WatchedConnection>> lent_;  // guarded by mutex_
  bool abandoned_ = false;                             // guarded by mutex_
  // guarded by mutex_: number of connecting threads
  int connecting_ = 0;
  // guarded by mutex_: number of idle and lent connections
  std::size_t open_ = 0;
  std::chrono::steady_clock::time_point not_before_{};  // guarded by mutex_
  const std::unique_ptr<HostWatch> watch_;
  const std::unique_ptr<Timelines> timelines_;
};

}  // namespace tunehub::server
