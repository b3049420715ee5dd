#include "server/db/host_watch.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <netdb.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "server/db/connection_url.h"
#include "sql.h"

namespace tunehub::server {

bool Timelines::Heard(const Timeline& timeline, Clock::time_point now) {
  if (timeline.system.empty() || timeline.number == 0) return false;
  const std::lock_guard lock(mutex_);
  Known& known = systems_[timeline.system];
  if (timeline.number >= known.highest) {
    known = {timeline.number, {}};
    return false;
  }
  if (!known.suspected) {
    known.suspected = now;
    spdlog::warn(
        "this database is on timeline {}, but another database of the same system was on {}, so "
        "this is a replaced primary. The hub does not use it, unless no newer database answers "
        "within {} s",
        timeline.number, known.highest,
        std::chrono::duration_cast<std::chrono::seconds>(limit_).count());
  }
  if (now - *known.suspected < limit_) return true;
  spdlog::warn("no database above timeline {} has answered, so the hub uses this database",
               timeline.number);
  known = {timeline.number, {}};
  return false;
}

bool Timelines::IsLower(const Timeline& timeline) const {
  const std::lock_guard lock(mutex_);
  const auto known = systems_.find(timeline.system);
  return timeline.number != 0 && known != systems_.end() && timeline.number < known->second.highest;
}

namespace {

std::string AddressOf(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  auto* const address = reinterpret_cast<sockaddr*>(&peer);
  std::array<char, NI_MAXHOST> text{};
  if (::getpeername(socket, address, &size) != 0 || peer.ss_family == AF_UNIX) return "";
  if (::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return "";
  return text.data();
}

using Clock = std::chrono::steady_clock;
using Attempt = std::unique_ptr<PGconn, decltype(&PQfinish)>;

constexpr int kSliceMs = 100;  // a stop waits at most this long

Attempt Begin(const std::string& url) {
  const char* const names[] = {"dbname", nullptr};
  const char* const values[] = {url.c_str(), nullptr};
  return {PQconnectStartParams(names, values, 1), &PQfinish};
}

bool IsOver(PostgresPollingStatusType status) {
  return status != PGRES_POLLING_READING && status != PGRES_POLLING_WRITING;
}

// True if the socket is ready; false at the end of the slice.
bool Await(const PGconn* attempt, PostgresPollingStatusType wanted) {
  pollfd waited{PQsocket(attempt), static_cast<short>(POLLIN), 0};
  if (wanted == PGRES_POLLING_WRITING) waited.events = POLLOUT;
  return ::poll(&waited, 1, kSliceMs) > 0;
}

// Returns false if the URL's only host did not answer within the limit, or began to answer and
// stopped. Returns true if a PostgreSQL process is ready for statements. Also returns true if the
// host refuses the connection, since it is then alive, and once `stopping` is true.
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

// Returns the URL of the same database on exactly this host, writable or not, without DNS.
std::string UrlOf(std::string url, const Host& host) {
  Override(url, "host", host.name);
  Override(url, "hostaddr", host.address);
  Override(url, "port", host.port);
  Override(url, "target_session_attrs", "any");
  return url;
}

}  // namespace

WatchedSocket::WatchedSocket(int socket, Host host)
    : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)), host_(std::move(host)) {}

WatchedSocket::~WatchedSocket() {
  if (socket_ >= 0) ::close(socket_);
}

void WatchedSocket::Shut() {
  shut_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

WatchedConnection::WatchedConnection(const std::string& url) : pqxx::connection(url) {
  // Without this call, the ROLLBACK of a broken connection's transaction would reconnect, and wait
  // for a host that hangs. The method is deprecated, because libpqxx 7 never reconnects and does
  // not have it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  inhibit_reactivation(true);
#pragma GCC diagnostic pop
  socket_ = std::make_shared<WatchedSocket>(sock(), Host{hostname(), port(), AddressOf(sock())});
}

void WatchedConnection::AskTimeline() {
  pqxx::nontransaction transaction(*this);
  try {
    const auto row = transaction.exec1(sql::read_timeline);
    timeline_ = {row["system"].as<std::string>(), row["timeline"].as<std::int64_t>()};
  } catch (const pqxx::insufficient_privilege&) {
    timeline_ = {};  // the role may not read the timeline: continue without it
  }
}

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
    if (now - asked < times_.patience) continue;  // checked recently: a statement may take minutes
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
  spdlog::warn("the database at {} does not respond, so the hub drops {} connections to it",
               NameOf(host.name, host.port), count);
}

}  // namespace tunehub::server
