#include "core/base/threads.h"

namespace tunehub::core {

void WokenThread::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WokenThread::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool WokenThread::Await(Duration longest) {
  std::unique_lock lock(mutex_);
  const auto due = [this] { return woken_ || stopping_; };
  // `longest` added to the current time would overflow the clock.
  if (longest == Duration::max()) {
    changed_.wait(lock, due);
  } else {
    changed_.wait_for(lock, longest, due);
  }
  woken_ = false;
  return !stopping_;
}

bool WokenThread::Pause(Duration duration) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, duration, [this] { return stopping_; });
}

}  // namespace tunehub::core
