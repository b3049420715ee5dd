// A thread that works when it is woken, and now and then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tunehub::core {

// Who has one stops it before what `run` uses is gone.
class WokenThread {
 public:
  using Duration = std::chrono::nanoseconds;

  WokenThread() = default;
  WokenThread(const WokenThread&) = delete;
  WokenThread& operator=(const WokenThread&) = delete;
  ~WokenThread() { Stop(); }

  // `run` is called in the thread, once: it loops for as long as what it waits by says true.
  void Start(std::function<void()> run) { thread_ = std::thread(std::move(run)); }
  // Waits until `run` has returned. Again, or before Start: nothing.
  void Stop();
  // Never blocks. What comes before the thread waits again is one waking.
  void Wake();

  // For `run`; false where it is to end. Until woken, or for `longest`:
  bool Await(Duration longest = Duration::max());
  // For so long, woken or not.
  bool Pause(Duration duration);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;     // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::core
