// What this server has told of the registry's history: by it, it finds out that the history is
// another one now, because the database was restored or lost commits in a failover.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/base/pin.h"

namespace tunehub::service {

class KnownHistory {
 public:
  // Somebody was told of the revision, or of something that is kept under its number.
  void Saw(const core::Pin& revision);
  // This server has committed it: later readers must not see an older one.
  void Expect(const core::Pin& revision);

  // The newest of both. It is in the database for as long as all others are.
  core::Pin newest() const;
  std::int64_t expected() const { return expected_.load(); }

  // What was committed before is to be read again, or is lost.
  void ForgetExpected() { expected_ = 0; }
  // `lost` is in the database no more. A newer one that came meanwhile stays.
  void Forget(const core::Pin& lost);

 private:
  std::atomic<std::int64_t> expected_{0};
  mutable std::mutex mutex_;
  core::Pin newest_;  // guarded by mutex_
};

}  // namespace tunehub::service
