// Drops the connections to a host that hangs. If its disk is stuck or its processes are stopped,
// the host's kernel still acknowledges packets. So no TCP timeout occurs, and libpq would wait as
// long as the host hangs. A slow statement alone does not mean that the host hangs. The host counts
// as hanging only if it also does not answer two new connections.
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

// Distinguishes an old primary from the new primary. A primary may hang while a standby is
// promoted. When it wakes up, it still acts as a primary until somebody ends it. A hub that used
// the old primary would count later commits as lost. Each promotion makes a higher timeline. So a
// primary is old if the hub has seen a higher timeline.
struct Timeline {
  std::string system;       // PostgreSQL's system identifier; "": the role may not read it
  std::int64_t number = 0;  // 0: in recovery; the timeline then belongs to another server
};

// A base backup that was started without recovery also has a lower timeline. It may be the only
// database that is left, so the hub uses such a database after this time. Patroni ends an old
// primary within its ttl, mostly 30 s.
inline constexpr std::chrono::seconds kOldPrimaryLimit{60};

class Timelines {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Timelines(std::chrono::milliseconds limit = kOldPrimaryLimit) : limit_(limit) {}

  // Records a host's answer. Returns true if the host is an old primary. Returns false again if no
  // host with a higher timeline answers within the limit.
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
  std::string name, port;  // from the URL, or the default; for a socket, the folder
  std::string address;     // numeric; "" for a socket

  auto operator<=>(const Host&) const = default;
};

// A copy of the descriptor of a connection's socket. (libpq closes its own descriptor, and another
// file may soon get the same number.) Safe from any thread.
class WatchedSocket {
 public:
  using Clock = std::chrono::steady_clock;

  // Lives while a statement runs, or while a caller uses the connection alone.
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

  // Shuts the socket down. Its reader then sees the end of the stream, as if the database had died.
  void Shut();
  bool is_shut() const { return shut_; }

 private:
  static constexpr Clock::time_point kUnused = Clock::time_point::max();

  const int socket_;  // this object's own descriptor; -1: none
  const Host host_;
  std::atomic<Clock::time_point> since_{kUnused};
  std::atomic<bool> shut_{false};
};

class WatchedConnection final : public pqxx::connection {
 public:
  // Throws like pqxx::connection.
  explicit WatchedConnection(const std::string& url);

  const std::shared_ptr<WatchedSocket>& socket() const { return socket_; }
  // The server's timeline at the last AskTimeline. A primary's timeline does not change while its
  // connections live.
  const Timeline& timeline() const { return timeline_; }
  void AskTimeline();

 private:
  std::shared_ptr<WatchedSocket> socket_;
  Timeline timeline_;
};

struct WatchTimes {
  std::chrono::milliseconds every{1'000};  // the pause between two checks
  // the longest normal use; also the pause between two attempts on a host
  std::chrono::milliseconds patience{5'000};
  std::chrono::milliseconds answer{3'000};  // the limit of one attempt to reach the host
};

class HostWatch {
 public:
  explicit HostWatch(std::string url, WatchTimes times = {});
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  // Watches the socket as long as it has another owner. The first call starts the thread.
  void Add(const std::shared_ptr<WatchedSocket>& socket);
  // Puts this host last in Url() until Heard(host).
  void PutLast(const Host& host);
  // Records that the host accepted a connection.
  void Heard(const Host& host);

  // True if a host hung and no host has accepted a connection since then.
  bool silent() const { return silent_; }
  // Returns the URL with its bad hosts last: hosts that hung, and hosts of PutLast. (A new
  // connection to a bad host ends only after a timeout.)
  std::string Url() const;

 private:
  void Follow();
  void Look();
  std::set<Host> HostsInUse(WatchedSocket::Clock::time_point since);
  bool Hangs(const Host& host) const;
  void LetGo(const Host& host);

  const std::string url_;
  const WatchTimes times_;
  std::map<Host, WatchedSocket::Clock::time_point> asked_;  // used only by the thread
  std::atomic<bool> silent_{false}, stopping_{false};
  mutable std::mutex mutex_;  // never locked during an attempt to reach a host
  std::condition_variable stop_;
  std::vector<std::weak_ptr<WatchedSocket>> sockets_;  // mutex_ guards this and the members below
  std::set<std::string> last_;                         // names, as in OneHost
  std::thread thread_;
};

}  // namespace tunehub::server
