#include "server/store/connection/host_watch.h"

#include <libpq-fe.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include "server/store/connection/several_hosts.h"

namespace tunehub::store {
namespace {

using Clock = std::chrono::steady_clock;
using Attempt = std::unique_ptr<PGconn, decltype(&PQfinish)>;

constexpr int kSliceMs = 100;  // how long a stop is not noticed

Attempt Begin(const std::string& url) {
  const char* const names[] = {"dbname", nullptr};
  const char* const values[] = {url.c_str(), nullptr};
  return {PQconnectStartParams(names, values, 1), &PQfinish};
}

bool IsOver(PostgresPollingStatusType status) {
  return status != PGRES_POLLING_READING && status != PGRES_POLLING_WRITING;
}

// Whether the socket can be gone on with; false where the slice is over.
bool Await(const PGconn* attempt, PostgresPollingStatusType wanted) {
  pollfd waited{PQsocket(attempt), static_cast<short>(POLLIN), 0};
  if (wanted == PGRES_POLLING_WRITING) waited.events = POLLOUT;
  return ::poll(&waited, 1, kSliceMs) > 0;
}

// False where nothing came from the URL's one host within the limit, or somebody began to speak and
// did not go on. True where a process of PostgreSQL's has come to the point of taking statements,
// and where it was refused: who refuses is there. True, too, once `stopping` is.
bool Answers(const std::string& url, std::chrono::milliseconds limit,
             const std::atomic<bool>& stopping) {
  const auto until = Clock::now() + limit;
  const Attempt attempt = Begin(url);
  if (attempt == nullptr || PQstatus(attempt.get()) == CONNECTION_BAD) return true;
  PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
  while (!stopping && !IsOver(wanted)) {
    if (Await(attempt.get(), wanted))
      wanted = PQconnectPoll(attempt.get());
    else if (Clock::now() >= until)
      return false;
  }
  return true;
}

constexpr int kTimesAsked = 2;

// The same database at this very host, whether it takes writes or not, and without a look at DNS.
std::string UrlOf(std::string url, const Host& host) {
  Override(url, "host", host.name);
  Override(url, "hostaddr", host.address);
  Override(url, "port", host.port);
  Override(url, "target_session_attrs", "any");
  return url;
}

}  // namespace

HostWatch::HostWatch(std::string url, WatchTimes times) : url_(std::move(url)), times_(times) {}

HostWatch::~HostWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void HostWatch::Add(const std::shared_ptr<WatchedSocket>& socket) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sockets_, [](const auto& it) { return it.expired(); });
  sockets_.push_back(socket);
  if (!thread_.joinable()) thread_ = std::thread([this] { Follow(); });
}

void HostWatch::Heard(const Host& host) {
  const std::lock_guard lock(mutex_);
  last_.erase(NameOf(host.name, host.port));
  silent_ = false;
}

void HostWatch::PutLast(const Host& host) {
  const std::lock_guard lock(mutex_);
  last_.insert(NameOf(host.name, host.port));
}

std::string HostWatch::Url() const {
  const std::lock_guard lock(mutex_);
  return last_.empty() ? url_ : WithLast(url_, last_);
}

void HostWatch::Follow() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, times_.every, [this] { return stopping_.load(); })) {
    lock.unlock();
    Look();
    lock.lock();
  }
}

void HostWatch::Look() {
  const auto now = WatchedSocket::Clock::now();
  for (const Host& host : HostsInUse(now - times_.patience)) {
    auto& asked = asked_[host];
    if (now - asked < times_.patience) continue;  // a statement may take minutes
    asked = now;
    if (Hangs(host)) LetGo(host);
  }
}

std::set<Host> HostWatch::HostsInUse(WatchedSocket::Clock::time_point since) {
  std::set<Host> hosts;
  const std::lock_guard lock(mutex_);
  for (const auto& it : sockets_) {
    const auto socket = it.lock();
    if (socket != nullptr && !socket->is_shut() && socket->IsUsedSince(since))
      hosts.insert(socket->host());
  }
  return hosts;
}

bool HostWatch::Hangs(const Host& host) const {
  const std::string url = UrlOf(url_, host);
  for (int i = 0; i < kTimesAsked; ++i) {
    if (Answers(url, times_.answer, stopping_)) return false;
  }
  return true;
}

void HostWatch::LetGo(const Host& host) {
  int count = 0;
  {
    const std::lock_guard lock(mutex_);
    silent_ = true;
    last_.insert(NameOf(host.name, host.port));
    for (const auto& it : sockets_) {
      const auto socket = it.lock();
      if (socket == nullptr || socket->host() != host) continue;
      socket->Shut();
      ++count;
    }
  }
  spdlog::warn("the database at {} hangs: {} connections to it are let go",
               NameOf(host.name, host.port), count);
}

}  // namespace tunehub::store
