#include "server/store/connection/timelines.h"

#include <spdlog/spdlog.h>

namespace tunehub::store {

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
        "a database is on timeline {}, and one of the same system was on {}: it is an old primary, "
        "and is asked nothing, unless it is all that there is in {} s",
        timeline.number, known.highest,
        std::chrono::duration_cast<std::chrono::seconds>(limit_).count());
  }
  if (now - *known.suspected < limit_) return true;
  spdlog::warn("nothing but timeline {} since then: it is the database", timeline.number);
  known = {timeline.number, {}};
  return false;
}

bool Timelines::IsLower(const Timeline& timeline) const {
  const std::lock_guard lock(mutex_);
  const auto known = systems_.find(timeline.system);
  return timeline.number != 0 && known != systems_.end() && timeline.number < known->second.highest;
}

}  // namespace tunehub::store
