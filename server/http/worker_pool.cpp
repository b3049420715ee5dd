#include "server/http/worker_pool.h"

#include <utility>

namespace tunehub::http {

WorkerPool::WorkerPool(Size size) : limit_(size.queue) {
  threads_.reserve(size.threads);
  for (unsigned i = 0; i < size.threads; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  Stop();
}

bool WorkerPool::TryPost(std::function<void()>& job) {
  {
    const std::lock_guard lock(mutex_);
    // A job that an idle thread is about to take does not wait.
    if (stopping_ || queue_.size() >= limit_ + idle_) return false;
    queue_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::Stop() {
  std::deque<std::function<void()>> dropped;  // destroyed outside the lock: jobs own requests
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (stopping_) return;
    {
      const std::function<void()> job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

}  // namespace tunehub::http
