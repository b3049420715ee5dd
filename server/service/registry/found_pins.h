// The last pins that were found to be revisions of ours, within one era. From any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>

#include "core/base/pin.h"

namespace tunehub::service {

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

}  // namespace tunehub::service
