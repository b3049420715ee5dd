// The revisions there are, as the database numbers them: what is in memory may lag behind. Every
// call may throw Unavailable.
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

  // With its token; the newest where none is asked for. Errors: unknown_revision, revision_gone.
  core::Result<core::Pin> Find(const std::optional<core::Pin>& asked) const {
    return asked ? store.Find(*asked) : store.ReadHeads().revision;
  }

  // Asks once: a pin that was found is one for as long as the history is (SnapshotSet::era).
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
  // Askers come with the newest pins that some server gave them.
  static constexpr std::size_t kFoundPins = 64;

  mutable std::mutex mutex_;
  mutable std::deque<core::Pin> found_;  // guarded by mutex_, as is what follows: of `era_`
  mutable int era_ = 0;
};

}  // namespace tunehub::server
