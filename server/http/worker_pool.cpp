#include "server/http/worker_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace tunehub::http {
namespace {

// On Linux this sets one thread's priority. Without the permission, threads have equal priorities.
void BeNice(int nice) {
  if (nice > 0) (void)::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + nice);
}

constexpr double kWaitSeconds[] = {0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10};

}  // namespace

WorkerPool::WorkerPool(Size size) : size_(size), waits_(kWaitSeconds) {
  threads_.reserve(size.threads);
  for (unsigned i = 0; i < size.threads; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  Stop();
}

// True if a client may have one more of `places`. The client has `own` of them, all clients have
// `all`.
bool WorkerPool::WithinShare(std::size_t own, std::size_t all, std::size_t places) const {
  const std::size_t left = places - (all - own);
  return own == 0 || (own + 1) * 100 <= left * size_.share;
}

// A job does not count as waiting if an idle thread will take it at once.
bool WorkerPool::HasPlace(const std::string& client) const {
  const std::size_t taken = std::min<std::size_t>(busy_, size_.threads);
  const std::size_t places = size_.queue + std::min(idle_, size_.threads - taken);
  if (waiting_ >= places) return false;
  const auto line = lines_.find(client);
  return WithinShare(line == lines_.end() ? 0 : line->second.jobs.size(), waiting_, places);
}

bool WorkerPool::MayBegin(const Line& line) const {
  if (line.running + 1 > std::max(size_.threads, 2U) - 1) return false;
  return size_.aside == 0 || WithinShare(line.aside, aside_, size_.threads + size_.aside);
}

void WorkerPool::Leave(Line& line) {
  const std::lock_guard lock(mutex_);
  --busy_;
  --line.running;
  ++aside_;
  ++line.aside;
  if (idle_ == 0 && !stopping_ && threads_.size() < size_.threads + size_.aside) {
    try {
      threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // The system allows no more threads, so jobs wait for the existing threads.
    }
  }
  (returning_ > 0 ? left_ : wake_).notify_one();
}

// A job that has waited gets a slot before new jobs, because other jobs may wait for its next step.
void WorkerPool::Return(Line& line) {
  std::unique_lock lock(mutex_);
  ++returning_;
  left_.wait(lock, [&] { return stopping_ || busy_ < size_.threads; });
  --returning_;
  --aside_;
  --line.aside;
  ++busy_;
  ++line.running;
  if (busy_ < size_.threads) (returning_ > 0 ? left_ : wake_).notify_one();
}

bool WorkerPool::TryPost(const std::string& client, std::function<void()>& job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !HasPlace(client)) return false;
    Line& line = lines_[client];
    if (line.jobs.empty()) turns_.push_back(client);
    line.jobs.push_back({std::move(job), std::chrono::steady_clock::now()});
    ++waiting_;
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::EndJobs() {
  Lines dropped;  // destroyed without the lock, because jobs own requests
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_ = 0;
    turns_.clear();
    for (auto& [client, line] : lines_) dropped[client].jobs.swap(line.jobs);
  }
  wake_.notify_all();
  left_.notify_all();
}

void WorkerPool::Stop() {
  EndJobs();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

PoolFigures WorkerPool::figures() const {
  const std::lock_guard lock(mutex_);
  return {size_.threads, busy_, size_.queue, waiting_};
}

// The next client's line, or lines_.end().
WorkerPool::Lines::iterator WorkerPool::Next() {
  if (!IsFree()) return lines_.end();
  for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
    const auto line = lines_.find(*turn);
    if (!MayBegin(line->second)) continue;
    turns_.erase(turn);
    return line;
  }
  return lines_.end();
}

void WorkerPool::Work() {
  BeNice(size_.nice);
  std::unique_lock lock(mutex_);
  while (true) {
    auto line = lines_.end();
    ++idle_;
    wake_.wait(lock, [&] { return stopping_ || (line = Next()) != lines_.end(); });
    --idle_;
    if (stopping_) return;
    {
      const Job job = std::move(line->second.jobs.front());
      line->second.jobs.pop_front();
      if (!line->second.jobs.empty()) turns_.push_back(line->first);
      ++line->second.running;
      --waiting_;
      ++busy_;
      lock.unlock();
      waits_.Observe(core::SecondsSince(job.since));
      const Seat seat(*this, line->second);
      job.work();
    }
    lock.lock();
    --busy_;
    const Line& own = line->second;
    --line->second.running;  // if a job may begin now, this thread takes it
    if (own.running + own.aside == 0 && own.jobs.empty()) lines_.erase(line);
    if (returning_ > 0) left_.notify_one();
  }
}

}  // namespace tunehub::http
