#include "server/store/store.h"

#include "server/store/connection/connection_pool.h"
#include "server/store/connection/listener.h"
#include "server/store/connection/session_check.h"
#include "server/store/connection/transaction.h"

namespace tunehub::store {

Store::Store(std::string url, StoreOptions options)
    : pool_(std::make_unique<ConnectionPool>(std::move(url),
                                             PoolOptions{.size = options.connections})),
      listener_(std::make_unique<Listener>(*pool_)),
      schema_(*pool_),
      keys_(*pool_),
      audit_(*pool_),
      runs_(*pool_),
      batches_(*pool_),
      revisions_(*pool_),
      measurements_(*pool_),
      queue_(*pool_, options.queue),
      builds_(*pool_),
      points_(*pool_),
      verify_(*pool_),
      backups_(*pool_),
      state_(*pool_) {}

Store::~Store() = default;

bool Store::AwaitChange(int timeout_ms) {
  const bool heard = listener_->AwaitChange(timeout_ms);
  // Not of the connection that listens, where an answer may be waited for without end.
  const auto asked = Query(*pool_, "SELECT current_setting('transaction_read_only')");
  read_only_ = asked[0][0].as<std::string>() == "on";
  return heard;
}

bool Store::ReadOnly() const {
  return read_only_;
}

core::Status Store::CheckSessions() {
  return store::CheckSessions(*pool_);
}

ConnectionFigures Store::connections() const {
  return pool_->figures();
}

core::HistogramReading Store::connection_waits() const {
  return pool_->waits().Read();
}

void Store::Abandon() {
  pool_->Abandon();
}

}  // namespace tunehub::store
