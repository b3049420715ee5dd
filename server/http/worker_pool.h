// Threads that run blocking handlers, and a bounded queue in which clients take turns. So a
// thousand requests of one client delay another client by only one request. One client never
// occupies all threads, even if its requests hang. A job that only waits for another job gives up
// its thread's slot (core/base/threads.h). The next job then begins on an additional thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/histogram.h"
#include "core/base/threads.h"

namespace tunehub::http {

struct PoolFigures {
  std::size_t threads = 0, busy = 0;    // busy: threads that run a job
  std::size_t places = 0, waiting = 0;  // jobs
};

class WorkerPool {
 public:
  struct Size {
    unsigned threads = 1;     // jobs that run at one time
    std::size_t queue = 1;    // jobs that wait, without running jobs
    std::size_t share = 100;  // one client's limit, in percent of what others leave free
    int nice = 0;             // added to the threads' niceness, for a lower priority
    // additional threads, for the time when waiting jobs occupy other threads
    std::size_t aside = 0;
  };

  explicit WorkerPool(Size size);
  ~WorkerPool();  // Stop()
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns false if the queue is full or the pool has stopped. `job` is then unchanged. A job must
  // not throw.
  bool TryPost(const std::string& client, std::function<void()>& job);
  // Drops the waiting jobs. Starts no more jobs.
  void EndJobs();
  // Like EndJobs, but also waits for the running jobs. A job must not call it.
  void Stop();

  PoolFigures figures() const;
  // Seconds that jobs waited for a thread.
  const core::Histogram& waits() const { return waits_; }

 private:
  struct Job {
    std::function<void()> work;
    std::chrono::steady_clock::time_point since;
  };
  struct Line {
    std::deque<Job> jobs;
    // jobs that began: with a slot, or without one while they wait
    std::size_t running = 0, aside = 0;
  };
  using Lines = std::map<std::string, Line>;

  class Seat final : public core::Workplace {
   public:
    Seat(WorkerPool& pool, Line& line) : pool_(pool), line_(line) { core::own_workplace = this; }
    ~Seat() { core::own_workplace = nullptr; }
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    void Leave() override { pool_.Leave(line_); }
    void Return() override { pool_.Return(line_); }

   private:
    WorkerPool& pool_;
    Line& line_;
  };

  bool IsFree() const { return busy_ < size_.threads && returning_ == 0; }
  bool WithinShare(std::size_t own, std::size_t all, std::size_t places) const;
  bool MayBegin(const Line& line) const;
  bool HasPlace(const std::string& client) const;
  void Leave(Line& line);
  void Return(Line& line);
  Lines::iterator Next();
  void Work();

  const Size size_;
  core::Histogram waits_;
  mutable std::mutex mutex_;  // guards the members below, except threads_
  std::condition_variable wake_, left_;
  std::size_t idle_ = 0, waiting_ = 0;
  std::size_t busy_ = 0, aside_ = 0,
              returning_ = 0;      // returning_: jobs that have waited and need a slot again
  Lines lines_;                    // by client, if it has jobs
  std::deque<std::string> turns_;  // the clients with waiting jobs; the next client is first
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tunehub::http
