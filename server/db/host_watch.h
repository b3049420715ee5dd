// Drops the connections to a host that hangs. If its disk is stuck or its processes are stopped,
// the host's kernel still acknowledges packets. So no TCP timeout fires, and libpq would wait as
// long as the host hangs. A slow statement alone does not mean that the host hangs: the host must
// also leave two new connections without an answer.
#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tunehub::server {

// Tells an old primary from its successor. If a primary hangs during a standby's promotion, it acts
// as a primary when it wakes up, until somebody ends it. A hub that used the old primary would
// count later commits as lost. Each promotion makes a higher timeline. So a primary is old if the
// hub has seen a higher timeline.
struct Timeline {
  std::string system;       // PostgreSQL's identifier; "": the role may not read it
  std::int64_t number = 0;  // 0: in recovery, so the timeline is another server's
};

// A base backup that was started without recovery also has a lower timeline, and may be the only
// database left. So the hub uses such a database after this time. Patroni ends an old primary
// within its ttl, mostly 30 s.
inline constexpr std::chrono::seconds kOldPrimaryLimit{60};

class Timelines {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Timelines(std::chrono::milliseconds limit = kOldPrimaryLimit) : limit_(limit) {}

  // Records a host's answer. True if the host is an old primary. False again if no host with a
  // higher timeline answers within the limit.
  bool Heard(const Timeline& timeline, Clock::time_point now = Clock::now());
  // True if a host with a higher timeline has answered.
  bool IsLower(const Timeline& timeline) const;

 private:
  struct Known {
    std::int64_t highest = 0;
    std::optional<Clock::time_point> suspected;  // the first answer of a lower timeline
  };

  const std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;
  std::map<std::string, Known> systems_;  // guarded by mutex_
};

// The host that a connection reached. A URL may have several hosts, and a name several addresses.
struct Host {
  std::string name, port;  // as in the URL, or by default; for a socket a folder
  std::string address;     // numeric; "" for a socket

  auto operator<=>(const Host&) const = default;
};

// Our own descriptor of a connection's socket. libpq closes its descriptor, and another file may
// soon get the same number. Safe from any thread.
class WatchedSocket {
 public:
  using Clock = std::chrono::steady_clock;

  // During its life, a statement runs or a caller keeps the connection for itself.
  class Use {
   public:
    explicit Use(WatchedSocket& socket) : socket_(socket) { socket_.Begin(); }
    ~Use() { socket_.End(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    WatchedSocket& socket_;
  };

  WatchedSocket(int socket, Host host);
  ~WatchedSocket();
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;

  const Host& host() const { return host_; }
  void Begin() { since_ = Clock::now(); }
  void End() { since_ = kUnused; }
  bool IsUsedSince(Clock::time_point moment) const { return since_.load() <= moment; }

  // The socket's reader then sees the end of the stream, as if the database had died.
  void Shut();
  bool is_shut() const { return shut_; }

 private:
  static constexpr Clock::time_point kUnused = Clock::time_point::max();

  const int socket_;  // its own descriptor; -1: none
  const Host host_;
  std::atomic<Clock::time_point> since_{kUnused};
  std::atomic<bool> shut_{false};
};

class WatchedConnection final : public pqxx::connection {
 public:
  // Throws like pqxx::connection.
  explicit WatchedConnection(const std::string& url);

  const std::shared_ptr<WatchedSocket>& socket() const { return socket_; }
  // The server's timeline at the last AskTimeline. A primary keeps its timeline as long as its
  // connections live.
  const Timeline& timeline() const { return timeline_; }
  void AskTimeline();

 private:
  std::shared_ptr<WatchedSocket> socket_;
  Timeline timeline_;
};

struct WatchTimes {
  std::chrono::milliseconds every{1'000};     // between two checks
  std::chrono::milliseconds patience{5'000};  // of one use; also between two attempts on a host
  std::chrono::milliseconds answer{3'000};    // per attempt to reach the host
};

class HostWatch {
 public:
  explicit HostWatch(std::string url, WatchTimes times = {});
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  // Watches the socket as long as another owner keeps it. The first call starts the thread.
  void Add(const std::shared_ptr<WatchedSocket>& socket);
  // Puts this host last in Url() until Heard(host).
  void PutLast(const Host& host);
  // Records that the host accepted a connection.
  void Heard(const Host& host);

  // True if a host hung and no host has accepted a connection since then.
  bool silent() const { return silent_; }
  // The URL with its bad hosts last: those that hung or that PutLast named. Each of them costs a
  // new connection a timeout.
  std::string Url() const;

 private:
  void Follow();
  void Look();
  std::set<Host> HostsInUse(WatchedSocket::Clock::time_point since);
  bool Hangs(const Host& host) const;
  void LetGo(const Host& host);

  const std::string url_;
  const WatchTimes times_;
  std::map<Host, WatchedSocket::Clock::time_point> asked_;  // only for the thread
  std::atomic<bool> silent_{false}, stopping_{false};
  mutable std::mutex mutex_;  // never locked during an attempt to reach a host
  std::condition_variable stop_;
  std::vector<std::weak_ptr<WatchedSocket>> sockets_;  // mutex_ guards this and the members below
  std::set<std::string> last_;                         // names as of OneHost
  std::thread thread_;
};

}  // namespace tunehub::server
