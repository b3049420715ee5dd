#include "agent/daemon/lease.h"

#include <algorithm>
#include <utility>

namespace tunehub::agent::daemon {
namespace {

// A lease of no length, which no hub gives, must not become a loop without pause.
constexpr std::chrono::milliseconds kLeastPause{50};

}  // namespace

Lease::Lease(JobQueue& queue, const Job& job)
    : queue_(queue), job_(job), thread_([this] { Renew(); }) {}

Lease::~Lease() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Lease::SetProgress(std::size_t done, std::size_t total) {
  done_ = done;
  total_ = total;
}

std::optional<core::Status> Lease::TakeNews() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void Lease::Renew() {
  const auto pause = std::max(job_.lease / 3, kLeastPause);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, pause, [&] { return ended_; })) return;
    }
    const auto status = queue_.Heartbeat(job_, done_, total_);
    {
      const std::lock_guard lock(mutex_);
      news_ = status;
    }
    if (!status.ok() && IsLost(status.error())) {
      lost_ = true;
      return;
    }
  }
}

}  // namespace tunehub::agent::daemon
