#include "server/db/connection_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>

#include "server/db/connection_url.h"

namespace tunehub::server {
namespace {

struct Setting {
  std::string_view name, value;
};
constexpr Setting kConnectSettings[] = {{"connect_timeout", "5"},
                                        {"application_name", "tunehub"},
                                        {"tcp_user_timeout", "10000"},
                                        // A connection that only listens sends nothing that could
                                        // time out. So the kernel probes its peer and closes the
                                        // connection after the time above.
                                        {"keepalives", "1"},
                                        {"keepalives_idle", "10"},
                                        {"keepalives_interval", "5"},
                                        {"keepalives_count", "2"}};

// True if the URL has that setting. Searches for "NAME=", because longer names begin with
// "keepalives".
bool Names(const std::string& url, std::string_view setting) {
  return url.find(std::string(setting) + "=") != std::string::npos;
}

// In a URI, settings follow a '?' and '&' separates them. In keyword form, blanks separate them.
void AddSetting(std::string& url, const Setting& setting) {
  if (Names(url, setting.name)) return;
  const bool is_uri = url.find("://") != std::string::npos;
  const bool first = url.find('?') == std::string::npos;
  url += !is_uri ? ' ' : first ? '?' : '&';
  url.append(setting.name).append("=").append(setting.value);
}

// Returns `url` with the settings that it lacks. Of several hosts, the hub uses the host that
// accepts writes.
std::string WithSettings(std::string url) {
  for (const Setting& setting : kConnectSettings) AddSetting(url, setting);
  if (MeansAnyOfSeveral(url)) AddSetting(url, {"target_session_attrs", "read-write"});
  return url;
}

constexpr int kHostsTried = 2;  // two old primaries at one time are unlikely

constexpr double kTakeSeconds[] = {0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10};

// A SQLSTATE or its class. The first matching row of the table counts.
struct State {
  std::string_view prefix;
  Failure failure;
};
constexpr State kStates[] = {{"25006", Failure::kReadOnly}, {"55P03", Failure::kLocked},
                             {"57", Failure::kCancelled},   {"53", Failure::kResources},
                             {"08", Failure::kLost},        {"40", Failure::kConflict},
                             {"23", Failure::kConstraint},  {"", Failure::kOther}};

Failure FailureOf(const pqxx::sql_error& error) {
  const std::string& state = error.sqlstate();
  return std::ranges::find_if(kStates,
                              [&](const State& it) { return state.starts_with(it.prefix); })
      ->failure;
}

}  // namespace

ConnectionPool::ConnectionPool(std::string url, PoolOptions options)
    : url_(WithSettings(std::move(url))),
      options_(options),
      waits_(kTakeSeconds),
      watch_(std::make_unique<HostWatch>(url_, options.watch)),
      timelines_(std::make_unique<Timelines>(options.old_primary)) {}

ConnectionFigures ConnectionPool::figures() const {
  ConnectionFigures figures;
  for (std::size_t i = 0; i < kFailures; ++i)
    figures.failures[i] = failures_[i].load(std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  figures.size = options_.size;
  figures.open = open_;
  figures.in_use = lent_.size();
  return figures;
}

void ConnectionPool::Lease::CheckTimeline() {
  if (pool_.timelines_->Heard(pooled_.connection->timeline()))
    throw Unavailable("this database is a replaced primary");
}

// If an old primary answers, tries the other hosts: one of them is the primary.
std::unique_ptr<WatchedConnection> ConnectionPool::Open() const {
  for (int i = 0; i < kHostsTried; ++i) {
    auto connection = OpenAny();
    const Host& host = connection->socket()->host();
    if (!timelines_->Heard(connection->timeline())) {
      watch_->Heard(host);
      return connection;
    }
    watch_->PutLast(host);
  }
  throw Unavailable("this database is a replaced primary");
}

std::unique_ptr<WatchedConnection> ConnectionPool::OpenAny() const {
  auto connection = std::make_unique<WatchedConnection>(watch_->Url());
  watch_->Add(connection->socket());
  const WatchedSocket::Use use(*connection->socket());
  pqxx::nontransaction(*connection).exec(SessionSettings());
  connection->AskTimeline();
  return connection;
}

std::vector<ConnectionPool::Pooled> ConnectionPool::TakeSpent() {
  std::vector<Pooled> spent;
  const auto good = [this](const Pooled& it) { return !IsSpent(it); };
  const auto first_spent = std::stable_partition(idle_.begin(), idle_.end(), good);
  std::move(first_spent, idle_.end(), std::back_inserter(spent));
  idle_.erase(first_spent, idle_.end());
  open_ -= spent.size();
  return spent;
}

ConnectionPool::Pooled ConnectionPool::Take() {
  const core::Stopwatch stopwatch(waits_);
  return TakeFreeOrNew();
}

ConnectionPool::Pooled ConnectionPool::TakeFreeOrNew() {
  std::vector<Pooled> spent;  // closed after this function unlocks
  std::unique_lock lock(mutex_);
  spent = TakeSpent();
  const bool free = freed_.wait_for(
      lock, options_.wait, [&] { return abandoned_ || !idle_.empty() || open_ < options_.size; });
  if (abandoned_) throw Unavailable("the server is stopping");
  if (!free) {
    Count(Failure::kBusy);
    throw Unavailable("all database connections are busy");
  }
  if (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return Lend(std::move(connection));
  }
  // While the database refuses connections, callers fail at once and do not wait for a connection.
  // While the database hangs, an attempt takes seconds, and only one caller tries.
  const bool tried = connecting_ > 0 && watch_->silent();
  if (tried || std::chrono::steady_clock::now() < not_before_) {
    Count(Failure::kNoAnswer);
    throw Unavailable("the database cannot be reached");
  }
  return LendNew(lock);
}

ConnectionPool::Pooled ConnectionPool::LendNew(std::unique_lock<std::mutex>& lock) {
  ++open_;
  ++connecting_;
  lock.unlock();
  Pooled made{nullptr, std::chrono::steady_clock::now()};
  std::string failure;
  try {
    made.connection = Open();
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // Open reached only an old primary, and Timelines has logged that.
  } catch (const std::exception& error) {
    failure = error.what();
  }
  lock.lock();
  --connecting_;
  if (made.connection != nullptr) return Lend(std::move(made));
  --open_;
  not_before_ = std::chrono::steady_clock::now() + options_.retry_after;
  lock.unlock();
  freed_.notify_one();
  Count(Failure::kNoAnswer);
  if (!failure.empty()) spdlog::warn("cannot connect to the database: {}", failure);
  throw Unavailable("the database cannot be reached");
}

ConnectionPool::Pooled ConnectionPool::Lend(Pooled pooled) {
  lent_.insert(pooled.connection);
  pooled.connection->socket()->Begin();
  return pooled;
}

void ConnectionPool::Forget(const std::shared_ptr<WatchedConnection>& connection) {
  const std::lock_guard lock(mutex_);
  lent_.erase(connection);
}

void ConnectionPool::Abandon() {
  // A cancel needs a new connection to a host that may not answer, so other callers must not wait
  // for it. The pool does not lend a connection again that is returned meanwhile. Such a connection
  // closes with its last owner.
  std::vector<std::shared_ptr<WatchedConnection>> working;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    for (const auto& it : lent_) {
      if (!it->socket()->is_shut()) working.push_back(it);  // a shut connection ends by itself
    }
  }
  freed_.notify_all();
  for (const auto& connection : working) {
    try {
      connection->cancel_query();
    } catch (const std::exception& error) {
      spdlog::warn("cannot cancel a statement: {}", error.what());
    }
  }
}

void ConnectionPool::Return(Pooled pooled) {
  {
    const std::lock_guard lock(mutex_);
    lent_.erase(pooled.connection);
    if (pooled.connection != nullptr && pooled.connection->is_open() && !IsSpent(pooled)) {
      pooled.connection->socket()->End();
      idle_.push_back(std::move(pooled));
    } else {
      --open_;
    }
  }
  freed_.notify_one();
}

void ConnectionPool::DropIdle() {
  std::vector<Pooled> dropped;  // closed after this function unlocks
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
    Count(Failure::kInDoubt);
    throw Unavailable(std::string("the database connection broke during the commit: ") +
                      error.what());
  } catch (const pqxx::broken_connection& error) {
    Count(Failure::kLost);
    throw Unavailable(std::string("the database connection broke: ") + error.what());
  } catch (const pqxx::sql_error& error) {
    Count(FailureOf(error));
    if (error.sqlstate() == "25006") {
      // the idle connections probably reach the same server; new connections reach the primary
      DropIdle();
      throw Unavailable(std::string("the database accepts no writes (is it a standby?): ") +
                        error.what());
    }
    // 57: the server shuts down or cancelled the statement; 53: no resources; 08: connection.
    const std::string state = error.sqlstate().substr(0, 2);
    if (state == "57" || state == "53" || state == "08" || error.sqlstate() == "55P03") {
      throw Unavailable(std::string("the database cannot run this statement now: ") + error.what());
    }
    throw;
  }
}

}  // namespace tunehub::server
