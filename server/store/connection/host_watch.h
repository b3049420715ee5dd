// Lets go of a host that hangs. Its kernel goes on acknowledging (a disk that is stuck, processes
// that are stopped), so that no time-out of TCP finds it out, and libpq would wait for as long as
// it hangs. A statement that takes long is none: before anything is let go, the host is asked by a
// new connection, twice.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/store/connection/watched_connection.h"

namespace tunehub::store {

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

}  // namespace tunehub::store
