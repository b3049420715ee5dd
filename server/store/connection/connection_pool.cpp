#include "server/store/connection/connection_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>

#include "server/store/connection/errors.h"

namespace tunehub::store {
namespace {

// A dead peer is noticed, a lock is not waited for without end, an abandoned transaction ends.
constexpr const char* kSettings =
    "SET statement_timeout = '120s'; SET lock_timeout = '30s';"
    "SET idle_in_transaction_session_timeout = '60s'; SET jit = off; SET TimeZone = 'UTC';"
    "SET client_min_messages = warning; SET work_mem = '64MB'; SET temp_buffers = '64MB'";
struct Setting {
  std::string_view name, value;
};
constexpr Setting kConnectSettings[] = {{"connect_timeout", "5"},
                                        {"application_name", "tunehub"},
                                        {"tcp_user_timeout", "10000"},
                                        // A connection that only listens sends nothing that could
                                        // time out: the kernel asks its peer, and gives up in the
                                        // time above.
                                        {"keepalives", "1"},
                                        {"keepalives_idle", "10"},
                                        {"keepalives_interval", "5"},
                                        {"keepalives_count", "2"},
                                        {"client_encoding", "UTF8"}};

// Whether the URL makes that setting itself; "keepalives" is also how longer names begin.
bool Names(const std::string& url, std::string_view setting) {
  return url.find(std::string(setting) + "=") != std::string::npos;
}

// `url` with the settings it does not make itself. A URI takes them after '?', keywords after a
// blank.
std::string WithSettings(std::string url) {
  const bool is_uri = url.find("://") != std::string::npos;
  for (const Setting& setting : kConnectSettings) {
    if (Names(url, setting.name)) continue;
    const bool first = url.find('?') == std::string::npos;
    url += !is_uri ? ' ' : first ? '?' : '&';
    url.append(setting.name).append("=").append(setting.value);
  }
  return url;
}

}  // namespace

ConnectionPool::ConnectionPool(std::string url, PoolOptions options)
    : url_(WithSettings(std::move(url))), options_(options) {}

std::unique_ptr<pqxx::connection> ConnectionPool::Open() const {
  auto connection = std::make_unique<pqxx::connection>(url_);
  pqxx::nontransaction setup(*connection);
  setup.exec(kSettings);
  return connection;
}

std::vector<ConnectionPool::Pooled> ConnectionPool::TakeOld() {
  std::vector<Pooled> old;
  const auto young = [this](const Pooled& it) { return !IsOld(it); };
  const auto first_old = std::stable_partition(idle_.begin(), idle_.end(), young);
  std::move(first_old, idle_.end(), std::back_inserter(old));
  idle_.erase(first_old, idle_.end());
  open_ -= old.size();
  return old;
}

ConnectionPool::Pooled ConnectionPool::Take() {
  std::vector<Pooled> old;  // closed after the lock
  std::unique_lock lock(mutex_);
  old = TakeOld();
  const bool free =
      freed_.wait_for(lock, options_.wait, [&] { return !idle_.empty() || open_ < options_.size; });
  if (!free) throw Unavailable("every database connection is busy");
  if (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  // While the database is gone, callers learn so at once instead of queueing on connection
  // attempts.
  if (std::chrono::steady_clock::now() < not_before_) throw Unavailable("the database is gone");
  ++open_;
  lock.unlock();
  try {
    const auto now = std::chrono::steady_clock::now();
    return {Open(), now};
  } catch (const std::exception& error) {
    spdlog::warn("cannot connect to the database: {}", error.what());
    lock.lock();
    --open_;
    not_before_ = std::chrono::steady_clock::now() + options_.retry_after;
    lock.unlock();
    freed_.notify_one();
    throw Unavailable("the database is gone");
  }
}

void ConnectionPool::Return(Pooled pooled) {
  {
    const std::lock_guard lock(mutex_);
    if (pooled.connection != nullptr && pooled.connection->is_open() && !IsOld(pooled))
      idle_.push_back(std::move(pooled));
    else
      --open_;
  }
  freed_.notify_one();
}

void ConnectionPool::DropIdle() {
  std::vector<Pooled> dropped;  // closed after the lock
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(idle_);
    open_ -= dropped.size();
  }
  freed_.notify_all();
}

void ConnectionPool::RethrowMapped() {
  try {
    throw;
  } catch (const pqxx::in_doubt_error& error) {
    throw Unavailable(std::string("the database went away during the commit: ") + error.what());
  } catch (const pqxx::broken_connection& error) {
    throw Unavailable(std::string("the database is gone: ") + error.what());
  } catch (const pqxx::sql_error& error) {
    // 57: the server shuts down or cancelled the statement; 53: no resources; 08: connection.
    const std::string state = error.sqlstate().substr(0, 2);
    if (state == "57" || state == "53" || state == "08" || error.sqlstate() == "55P03") {
      throw Unavailable(std::string("the database cannot serve this now: ") + error.what());
    }
    throw;
  }
}

}  // namespace tunehub::store
