// Threads: one beside the others, one that is woken, and parts of one loop.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tunehub::core {

// What a pool of workers gives each of its threads: a place among the few that work at a time.
class Workplace {
 public:
  virtual void Leave() = 0;
  virtual void Return() = 0;  // waits until a place is free

 protected:
  ~Workplace() = default;
};

// Of the calling thread; null: it works without one.
inline thread_local Workplace* own_workplace = nullptr;

// Leaves the calling thread's place to others for as long as this lives. Its end may wait: no lock
// is to be held then.
class Aside {
 public:
  Aside() {
    if (own_workplace != nullptr) own_workplace->Leave();
  }
  ~Aside() {
    if (own_workplace != nullptr) own_workplace->Return();
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

// Calls `work(0)` ... `work(count - 1)` on this thread and up to `threads` - 1 more, returns when
// all are done. `work` must not throw.
template <typename Work>
void InParallel(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;  // joined when they go
  for (std::size_t i = 1; i < threads && i < count; ++i) helpers.emplace_back(run);
  run();
}

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
