// A bounded set of PostgreSQL connections. The pool drops a broken connection: libpqxx 6 would
// reconnect it silently, without its settings. A connection to a host that hangs breaks, and the
// pool refuses an old primary (host_watch.h). The pool replaces old connections, since a session's
// caches of the catalogue grow as long as it lives.
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
  std::size_t size = 6;                   // one per worker that may want one
  std::chrono::milliseconds wait{5'000};  // for a free connection; then Unavailable
  std::chrono::milliseconds retry_after{
      500};  // between attempts to connect to a database that is gone
  std::chrono::milliseconds max_age{std::chrono::minutes(10)};  // older connections are replaced
  WatchTimes watch = {};
  std::chrono::milliseconds old_primary = kOldPrimaryLimit;
};

class ConnectionPool {
 public:
  ConnectionPool(std::string url, PoolOptions options = {});

  // Runs `use(connection)` with a connection of its own. Throws Unavailable (failures.h) if the
  // database is gone or does not answer in time. Exceptions of `use` pass through, mapped likewise.
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
  // Unavailable. Call it again until no thread works any more, because a cancel between two of a
  // thread's statements has no effect.
  void Abandon();

  // A new connection outside the pool, set up the same way (for LISTEN). The caller marks each use
  // on the connection's socket (WatchedSocket::Use), so that it breaks if the host hangs.
  std::unique_ptr<WatchedConnection> Open() const;
  // Whether the connection's server has become an old primary.
  bool IsOld(const WatchedConnection& connection) const {
    return timelines_->IsLower(connection.timeline());
  }
  std::chrono::milliseconds max_age() const { return options_.max_age; }

  ConnectionFigures figures() const;
  // Seconds until a connection was free or made.
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
    // Throws Unavailable if an old primary gave the answer, since it lacks commits that its
    // successor has.
    void CheckTimeline();
    // After any exception: the next user must not get an open transaction or a broken socket. If
    // one socket broke, the idle ones most likely did, too.
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
  Pooled Lend(Pooled pooled);  // with mutex_ held
  void Forget(const std::shared_ptr<WatchedConnection>& connection);
  void Return(Pooled pooled);
  std::vector<Pooled> TakeSpent();  // idle ones to close; with mutex_ held
  void DropIdle();
  // Maps libpqxx's exceptions for a lost or read-only database to Unavailable; others pass
  // unchanged.
  [[noreturn]] void RethrowMapped();

  const std::string url_;
  const PoolOptions options_;
  core::Histogram waits_;
  std::array<std::atomic<std::uint64_t>, kFailures> failures_{};
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Pooled> idle_;                            // guarded by mutex_
  std::set<std::shared_ptr<WatchedConnection>> lent_;   // guarded by mutex_
  bool abandoned_ = false;                              // guarded by mutex_
  int connecting_ = 0;                                  // guarded by mutex_: threads
  std::size_t open_ = 0;                                // guarded by mutex_: idle and lent
  std::chrono::steady_clock::time_point not_before_{};  // guarded by mutex_
  const std::unique_ptr<HostWatch> watch_;
  const std::unique_ptr<Timelines> timelines_;
};

}  // namespace tunehub::server
