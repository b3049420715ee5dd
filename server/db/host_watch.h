// Lets go of a host that hangs. Its kernel goes on acknowledging (a disk that is stuck, processes
// that are stopped), so that no time-out of TCP finds it out, and libpq would wait for as long as
// it hangs. A statement that takes long is none: before anything is let go, the host is asked by a
// new connection, twice.
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

// Tells an old primary from the one that took its place. One that hung while a standby was promoted
// takes itself for a primary when it wakes up, until somebody ends it: whoever asked it would take
// for lost what was committed since. Each promotion makes a higher timeline, so its own is lower
// than one that was seen.
struct Timeline {
  std::string system;       // PostgreSQL's identifier; "": the role may not know
  std::int64_t number = 0;  // 0: in recovery, where it is another's
};

// A base backup that is started without recovery has a lower one, too, and is all that there is: it
// is believed after this time. Patroni ends an old primary within its ttl, mostly 30 s.
inline constexpr std::chrono::seconds kOldPrimaryLimit{60};

class Timelines {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Timelines(std::chrono::milliseconds limit = kOldPrimaryLimit) : limit_(limit) {}

  // A host has answered that has this timeline. Whether it is an old primary, whose answer is not
  // to be believed; from the limit on, if none that is higher answers meanwhile, it is none.
  bool Heard(const Timeline& timeline, Clock::time_point now = Clock::now());
  // Whether one that is higher was heard.
  bool IsLower(const Timeline& timeline) const;

 private:
  struct Known {
    std::int64_t highest = 0;
    std::optional<Clock::time_point> suspected;  // since when there is one that is lower
  };

  const std::chrono::milliseconds limit_;
  mutable std::mutex mutex_;
  std::map<std::string, Known> systems_;  // guarded by mutex_
};

// A connection that can be let go of while libpq waits in it for an answer.

// Whom a connection has found: of several the URL names, or of several addresses of one name.
struct Host {
  std::string name, port;  // as in the URL, or by default; a folder where there is a socket
  std::string address;     // as a number; "" where there is a socket

  auto operator<=>(const Host&) const = default;
};

// A connection's socket, beside libpq, whose descriptor goes with the connection and may be another
// file's a moment later. Safe from any thread.
class WatchedSocket {
 public:
  using Clock = std::chrono::steady_clock;

  // Somebody asks, or keeps the connection for himself, for as long as this lives.
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

  // Whoever waits in it reads the end of the file, as of a database that has died.
  void Shut();
  bool is_shut() const { return shut_; }

 private:
  static constexpr Clock::time_point kUnused = Clock::time_point::max();

  const int socket_;  // a descriptor of its own; -1 where there is none
  const Host host_;
  std::atomic<Clock::time_point> since_{kUnused};
  std::atomic<bool> shut_{false};
};

class WatchedConnection final : public pqxx::connection {
 public:
  // Throws as pqxx::connection.
  explicit WatchedConnection(const std::string& url);

  const std::shared_ptr<WatchedSocket>& socket() const { return socket_; }
  // That of the server when it was asked. A primary keeps it for as long as its connections live.
  const Timeline& timeline() const { return timeline_; }
  void AskTimeline();

 private:
  std::shared_ptr<WatchedSocket> socket_;
  Timeline timeline_;
};

struct WatchTimes {
  std::chrono::milliseconds every{1'000};     // between two looks
  std::chrono::milliseconds patience{5'000};  // with one in use, and with a host that answered
  std::chrono::milliseconds answer{3'000};    // for each time that it is asked
};

class HostWatch {
 public:
  explicit HostWatch(std::string url, WatchTimes times = {});
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  // For as long as others hold it. A thread looks at all, from the first on.
  void Add(const std::shared_ptr<WatchedSocket>& socket);
  // The host is no good now: others are tried before it until it is heard.
  void PutLast(const Host& host);
  // The host has taken a connection.
  void Heard(const Host& host);

  // Whether a host hung, and none has taken a connection since.
  bool silent() const { return silent_; }
  // The URL in which those that hung, or were put last, come last: each costs whoever connects his
  // time-out.
  std::string Url() const;

 private:
  void Follow();
  void Look();
  std::set<Host> HostsInUse(WatchedSocket::Clock::time_point since);
  bool Hangs(const Host& host) const;
  void LetGo(const Host& host);

  const std::string url_;
  const WatchTimes times_;
  std::map<Host, WatchedSocket::Clock::time_point> asked_;  // of the thread alone
  std::atomic<bool> silent_{false}, stopping_{false};
  mutable std::mutex mutex_;  // never held while a host is asked
  std::condition_variable stop_;
  std::vector<std::weak_ptr<WatchedSocket>> sockets_;  // guarded by mutex_, as is what follows
  std::set<std::string> last_;                         // names as of OneHost
  std::thread thread_;
};

}  // namespace tunehub::server
