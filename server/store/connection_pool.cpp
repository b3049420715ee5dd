#include "server/store/connection_pool.h"

#include <spdlog/spdlog.h>

#include "server/store/errors.h"
#include "sql.h"

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
                                        {"client_encoding", "UTF8"}};

// `url` with the settings it does not make itself. A URI takes them after '?', keywords after a
// blank.
std::string WithSettings(std::string url) {
  const bool is_uri = url.find("://") != std::string::npos;
  for (const Setting& setting : kConnectSettings) {
    if (url.find(setting.name) != std::string::npos) continue;
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
  setup.exec(std::string(sql::session));
  return connection;
}

std::unique_ptr<pqxx::connection> ConnectionPool::Take() {
  std::unique_lock lock(mutex_);
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
    return Open();
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

void ConnectionPool::Return(std::unique_ptr<pqxx::connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    if (connection != nullptr && connection->is_open())
      idle_.push_back(std::move(connection));
    else
      --open_;
  }
  freed_.notify_one();
}

void ConnectionPool::DropIdle() {
  std::vector<std::unique_ptr<pqxx::connection>> dropped;  // closed after the lock
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
