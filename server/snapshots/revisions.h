// Finds revisions in the database, because memory may lag behind. Every call may throw Unavailable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "core/base/pin.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/revision_store.h"

namespace tunehub::server {

class Revisions {
 public:
  explicit Revisions(ConnectionPool& pool) : store(pool) {}

  // Returns the revision with its token, by default the newest. Errors: unknown_revision,
  // revision_gone.
  core::Result<core::Pin> Find(const std::optional<core::Pin>& asked) const {
    return asked ? store.Find(*asked) : store.ReadHeads().revision;
  }

  // Queries the database once for each pin, because a found pin stays valid during the era.
  core::Result<core::Pin> Find(const core::Pin& pin, int era) const {
    {
      const std::lock_guard lock(mutex_);
      if (era == era_ && std::ranges::find(found_, pin) != found_.end()) return pin;
    }
    auto found = store.Find(pin);
    if (!found.ok()) return found;
    const std::lock_guard lock(mutex_);
    if (era < era_) return found;
    if (era > era_) found_.clear();
    era_ = era;
    found_.push_back(*found);
    if (found_.size() > kFoundPins) found_.pop_front();
    return found;
  }

  RevisionStore store;

 private:
  // The number of pins in memory. Clients request few pins: the newest pins that a server gave
  // them.
  static constexpr std::size_t kFoundPins = 64;

  mutable std::mutex mutex_;
  mutable std::deque<core::Pin> found_;  // pins of `era_`; guarded by mutex_, as is `era_`
  mutable int era_ = 0;
};

}  // namespace tunehub::server
