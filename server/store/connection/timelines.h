// Tells an old primary from the one that took its place. One that hung while a standby was promoted
// takes itself for a primary when it wakes up, until somebody ends it: whoever asked it would take
// for lost what was committed since. Each promotion makes a higher timeline, so its own is lower
// than one that was seen.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tunehub::store {

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

}  // namespace tunehub::store
