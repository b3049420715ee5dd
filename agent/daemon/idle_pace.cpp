#include "agent/daemon/idle_pace.h"

namespace tunehub::agent::daemon {

using std::chrono::steady_clock;

IdlePace::IdlePace(std::unique_ptr<Probe> probe, IdleOptions options, std::function<OwnWork()> own,
                   std::function<void()> give_up, std::function<bool()> stop)
    : probe_(std::move(probe)),
      options_(std::move(options)),
      own_(std::move(own)),
      give_up_(std::move(give_up)),
      stop_(std::move(stop)),
      thread_([this] { Watch(); }) {}

IdlePace::~IdlePace() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void IdlePace::Look() {
  std::string why;
  if (options_.window && !options_.window->Contains(options_.minute_of_day())) {
    why = "outside of the window";
  } else if (!options_.always) {
    why = probe_->Busy(own_());
  }
  const bool busy = !why.empty();
  const auto now = steady_clock::now();
  bool appeared = false;
  {
    const std::lock_guard lock(mutex_);
    appeared = busy && !was_busy_;
    if (!busy && was_busy_) idle_since_ = now;
    was_busy_ = busy;
    if (!busy && !options_.always && now - idle_since_ < options_.settle) {
      why = "the device was busy a moment ago";
    }
    why_ = why;
    if (busy) ++disturbances_;
  }
  if (appeared) give_up_();
  changed_.notify_all();
}

void IdlePace::Watch() {
  for (;;) {
    Look();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, options_.interval, [&] { return ended_; })) return;
  }
}

core::Status IdlePace::Await() {
  std::unique_lock lock(mutex_);
  while (!why_.empty()) {
    if (stop_()) return core::Error{tuning::kStopped, "asked to end while waiting"};
    changed_.wait_for(lock, options_.interval);
  }
  return core::Ok();
}

std::string IdlePace::Why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

}  // namespace tunehub::agent::daemon
