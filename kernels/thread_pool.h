// A fixed number of threads, for parallel sections of a few microseconds.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tunehub::kernels {

// The threads of one parallel section wait here for each other. They first spin, then yield.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  void Wait();

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<std::uint32_t> phase_{0};
};

class ThreadPool {
 public:
  // The thread that calls Run is one of the `threads`.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(0..threads()-1), each on its own thread. When all calls have returned, throws the
  // first exception that a call threw. Only one Run at a time. Work that uses a Barrier must not
  // throw, because the other threads would never leave the Barrier.
  void Run(const std::function<void(int thread)>& work);

 private:
  void Work(int index);
  // Runs work_. Stores the first exception for the caller of Run.
  void Guarded(int index);

  std::vector<std::thread> workers_;
  // The section's number. Workers poll it: they first spin, then sleep.
  std::atomic<std::uint64_t> section_{0};
  std::atomic<int> running_{0};
  std::atomic<bool> stopping_{false};
  const std::function<void(int)>* work_ = nullptr;
  std::mutex mutex_;
  std::exception_ptr thrown_;  // guarded by mutex_ while threads run
  std::condition_variable announced_;
  int asleep_ = 0;
};

}  // namespace tunehub::kernels
