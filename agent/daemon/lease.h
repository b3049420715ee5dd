// Renews the lease of a job while it is worked on, on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "agent/daemon/job_queue.h"

namespace tunehub::agent::daemon {

class Lease {
 public:
  // Renews after each third of the lease. Both must outlive it; `queue` must not be used by other
  // threads meanwhile.
  Lease(JobQueue& queue, const Job& job);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void SetProgress(std::size_t done, std::size_t total);
  // The hub said that the job is another's. A hub that does not answer says nothing: the lease may
  // live, and the measurements count either way.
  bool lost() const { return lost_; }
  // What became of the last renewal since this was asked last.
  std::optional<core::Status> TakeNews();

 private:
  void Renew();

  JobQueue& queue_;
  const Job& job_;
  std::atomic<std::size_t> done_{0}, total_{0};
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::optional<core::Status> news_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::agent::daemon
