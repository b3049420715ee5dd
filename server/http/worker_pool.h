// The threads that run blocking handlers, behind a bounded queue.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tunehub::http {

class WorkerPool {
 public:
  struct Size {
    unsigned threads = 1;
    std::size_t queue = 1;  // jobs that wait; those that run are not counted
  };

  explicit WorkerPool(Size size);
  ~WorkerPool();  // Stop()
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False where the queue is full or the pool stopped; `job` is then untouched. A job must not
  // throw.
  bool TryPost(std::function<void()>& job);
  // Drops the jobs that wait and joins those that run. Not from a job.
  void Stop();

 private:
  void Work();

  const std::size_t limit_;
  std::mutex mutex_;  // guards idle_, queue_, stopping_
  std::condition_variable wake_;
  std::size_t idle_ = 0;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tunehub::http
