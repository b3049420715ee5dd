#include "kernels/thread_pool.h"

#include <utility>

namespace tunehub::kernels {
namespace {

// The number of polls before a waiting thread yields (Barrier, Run) or sleeps (a worker). They take
// about 20 us, longer than the gap between two calls of a timing loop.
constexpr int kSpins = 2'000;
// After that, the thread yields between polls, because another thread on the same core must run.
constexpr int kYields = 50;

template <typename Done>
bool SpinFor(const Done& done) {
  for (int i = 0; i < kSpins; ++i) {
    if (done()) return true;
    __builtin_ia32_pause();
  }
  for (int i = 0; i < kYields; ++i) {
    if (done()) return true;
    std::this_thread::yield();
  }
  return done();
}

template <typename Done>
void YieldUntil(const Done& done) {
  while (!SpinFor(done)) std::this_thread::yield();
}

}  // namespace

void Barrier::Wait() {
  const auto phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.store(phase + 1, std::memory_order_release);
    return;
  }
  YieldUntil([&] { return phase_.load(std::memory_order_acquire) != phase; });
}

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { Work(i); });
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  {
    const std::lock_guard lock(mutex_);
    section_.fetch_add(1, std::memory_order_release);
  }
  announced_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::Run(const std::function<void(int)>& work) {
  if (workers_.empty()) {
    work(0);
    return;
  }
  work_ = &work;
  running_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    section_.fetch_add(1, std::memory_order_release);
    wake = asleep_ > 0;
  }
  if (wake) announced_.notify_all();
  Guarded(0);
  YieldUntil([this] { return running_.load(std::memory_order_acquire) == 0; });
  work_ = nullptr;  // the caller may now destroy it
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::Guarded(int index) {
  try {
    (*work_)(index);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

void ThreadPool::Work(int index) {
  std::uint64_t seen = 0;
  for (;;) {
    const auto announced = [&] { return section_.load(std::memory_order_acquire) != seen; };
    if (!SpinFor(announced)) {
      std::unique_lock lock(mutex_);
      ++asleep_;
      announced_.wait(lock, announced);
      --asleep_;
    }
    ++seen;
    if (stopping_.load()) return;
    Guarded(index);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace tunehub::kernels
