// What /metrics says, in Prometheus' text format. Counting is lock-free; gauges are read at the
// scrape, which never blocks: what has to be asked for is asked beforehand, by others.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "server/service/operations/figures.h"
#include "server/service/operations/refused_for.h"
#include "server/service/operations/request_times.h"

namespace tunehub::service {

class Metrics {
 public:
  // A text is said again for so many times what its making took: whoever asks without end takes
  // that part of one thread at most.
  static constexpr int kKept = 20;

  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  ~Metrics();

  void CountBatch(bool refused);
  void CountClaim();  // a job that was handed out
  void CountRefusal(RefusedFor why) {
    refusals_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t Refused(RefusedFor why) const {
    return refusals_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }
  // What others keep is to be added before the first text is asked for.
  Figures figures;
  RequestTimes requests;

  // From memory.
  std::shared_ptr<const std::string> Text();

 private:
  std::string Render();

  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::array<std::atomic<std::uint64_t>, kRefusals> refusals_{};
  std::mutex mutex_;
  std::shared_ptr<const std::string> text_;           // guarded by mutex_
  std::chrono::steady_clock::time_point kept_until_;  // guarded by mutex_
};

}  // namespace tunehub::service
