// Limits a pool's running threads, runs loops in parallel, and defines a thread that other threads
// can wake.
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

// A thread's slot in a pool. The number of slots limits how many of the pool's threads run at a
// time.
class Workplace {
 public:
  virtual void Leave() = 0;
  virtual void Return() = 0;  // waits until a slot is free

 protected:
  ~Workplace() = default;
};

// The calling thread's slot; null if the thread belongs to no pool.
inline thread_local Workplace* own_workplace = nullptr;

// Gives up the calling thread's slot while this object lives. The destructor may wait for a slot,
// so hold no lock then.
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

// Calls `work(0)` ... `work(count - 1)` on this thread and up to `threads` - 1 more threads.
// Returns when all calls are done. `work` must not throw.
template <typename Work>
void InParallel(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;  // joined by their destructors
  for (std::size_t i = 1; i < threads && i < count; ++i) helpers.emplace_back(run);
  run();
}

// The owner must call Stop before it destroys anything that `run` uses.
class WokenThread {
 public:
  using Duration = std::chrono::nanoseconds;

  WokenThread() = default;
  WokenThread(const WokenThread&) = delete;
  WokenThread& operator=(const WokenThread&) = delete;
  ~WokenThread() { Stop(); }

  // Calls `run` once in the new thread. `run` must return as soon as Await or Pause returns false.
  void Start(std::function<void()> run) { thread_ = std::thread(std::move(run)); }
  // Waits until `run` has returned. Has no effect before Start or a second time.
  void Stop();
  // Never blocks. Several calls before the next Await have the effect of one.
  void Wake();

  // For `run`: waits until another thread calls Wake, at most `longest`. Returns false if `run`
  // must return.
  bool Await(Duration longest = Duration::max());
  // Waits for a fixed time, which Wake does not shorten. Returns false if `run` must return.
  bool Pause(Duration duration);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;     // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::core
