// The revisions there are, as the database numbers them: what is in memory may lag behind. Every
// call may throw Unavailable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/pin.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/revision_records.h"
#include "server/snapshots/revision_store.h"

namespace tunehub::server {

// The last pins that were found to be revisions of ours, within one era. From any thread.

class FoundPins {
 public:
  // Askers come with the newest pins that some server gave them.
  static constexpr std::size_t kKept = 64;

  bool Has(const core::Pin& pin, int era) const {
    const std::lock_guard lock(mutex_);
    return era == era_ && std::find(pins_.begin(), pins_.end(), pin) != pins_.end();
  }
  void Add(const core::Pin& pin, int era) {
    const std::lock_guard lock(mutex_);
    if (era < era_) return;
    if (era > era_) pins_.clear();
    era_ = era;
    pins_.push_back(pin);
    if (pins_.size() > kKept) pins_.pop_front();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<core::Pin> pins_;  // guarded by mutex_, as is what follows
  int era_ = 0;
};

class Revisions {
 public:
  explicit Revisions(ConnectionPool& pool) : pool_(pool) {}

  core::Pin Newest() const { return RevisionStore(pool_).ReadHeads().revision; }

  // With its token. Errors: unknown_revision, revision_gone.
  core::Result<core::Pin> Find(const core::Pin& revision) const {
    return RevisionStore(pool_).Find(revision);
  }

  // Asks once: a pin that was found is one for as long as the history is (SnapshotSet::era).
  core::Result<core::Pin> Find(const core::Pin& pin, int era) const {
    if (found_.Has(pin, era)) return pin;
    auto found = Find(pin);
    if (found.ok()) found_.Add(pin, era);
    return found;
  }

  // The newest first.
  std::vector<RevisionRecord> List(std::int64_t before_number, std::size_t limit) const {
    return RevisionStore(pool_).List(before_number, limit);
  }

  // The one that was in force `days` ago, without its families.
  std::optional<RevisionRecord> OfDaysAgo(int days) const {
    return RevisionStore(pool_).FindOfDaysAgo(days);
  }

 private:
  ConnectionPool& pool_;
  mutable FoundPins found_;
};

}  // namespace tunehub::server
