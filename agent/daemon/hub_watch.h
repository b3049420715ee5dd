// What the daemon says about a hub that does not serve it, and when it gives up: a hub that is away
// comes back, a key that is refused for a while stays refused.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace tunehub::agent::daemon {

// An administrator who changes a key does so within this time.
inline constexpr std::chrono::seconds kKeyPatience{60};
// Said at once when it begins, and so often while it lasts: a log must tell, and not fill the disk.
inline constexpr std::chrono::hours kTroubleEvery{1};

class HubWatch {
 public:
  using Clock = std::chrono::steady_clock;
  HubWatch(std::function<Clock::time_point()> now, std::function<void(const std::string&)> say)
      : now_(std::move(now)), say_(std::move(say)) {}

  // What became of a request. One that is too large for what is between says nothing of the hub.
  // Error: key_refused, once no request was granted for kKeyPatience since the key was first
  // refused.
  core::Status Note(const core::Status& status);
  // What is wrong since when the hub was last heard; "": nothing.
  const std::string& wrong() const { return wrong_; }

 private:
  void Say(const std::string& trouble, Clock::time_point now);

  std::function<Clock::time_point()> now_;
  std::function<void(const std::string&)> say_;
  std::string wrong_;
  bool refused_ = false;
  Clock::time_point refused_since_{}, said_{};
};

}  // namespace tunehub::agent::daemon
