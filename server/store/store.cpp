#include "server/store/store.h"

#include "server/store/connection_pool.h"
#include "server/store/transaction.h"

namespace tunehub::store {

// The LISTEN connection: apart from the pool, because it waits.
struct Store::Listener {
  struct Receiver : pqxx::notification_receiver {
    explicit Receiver(pqxx::connection& connection)
        : notification_receiver(connection, "tunehub") {}
    void operator()(const std::string&, int) override { ++count; }
    int count = 0;
  };
  std::unique_ptr<pqxx::connection> connection;
  std::unique_ptr<Receiver> receiver;
  std::chrono::steady_clock::time_point opened;
};

Store::Store(std::string url, StoreOptions options)
    : pool_(std::make_unique<ConnectionPool>(std::move(url),
                                             PoolOptions{.size = options.connections})),
      queue_(std::make_unique<Queue>(*pool_, options.queue)),
      builds_(std::make_unique<Builds>(*pool_)),
      listener_(std::make_unique<Listener>()) {}

Store::~Store() = default;

bool Store::AwaitChange(int timeout_ms) {
  try {
    const auto now = std::chrono::steady_clock::now();
    if (listener_->connection == nullptr || now - listener_->opened >= pool_->max_age()) {
      listener_->receiver.reset();
      listener_->opened = now;
      listener_->connection = pool_->Open();
      listener_->receiver = std::make_unique<Listener::Receiver>(*listener_->connection);
      return true;  // whatever was said meanwhile was not heard
    }
    listener_->connection->await_notification(timeout_ms / 1000, (timeout_ms % 1000) * 1000);
    const bool heard = listener_->receiver->count > 0;
    listener_->receiver->count = 0;
    return heard;
  } catch (const std::exception& error) {
    listener_->receiver.reset();
    listener_->connection.reset();
    throw Unavailable(std::string("the database is gone: ") + error.what());
  }
}

bool Store::Reachable() {
  try {
    return !Query(*pool_, "SELECT 1").empty();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace tunehub::store
