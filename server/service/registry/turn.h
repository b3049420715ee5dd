// Of many who want the same of the database one asks, outside the lock: who waits for him would ask
// the same. They wait for a moment, or take what was known before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tunehub::service {

// Guarded by its owner's mutex, which `lock` holds.
class Turn {
 public:
  using Clock = std::chrono::steady_clock;

  // True: it is the caller's, who calls Outside(). False: `is_known()` holds, or it was somebody
  // else's until then.
  template <typename IsKnown>
  bool Take(std::unique_lock<std::mutex>& lock, Clock::time_point until, IsKnown is_known) {
    ended_.wait_until(lock, until, [&] { return !taken_ || is_known(); });
    if (taken_ || is_known()) return false;
    taken_ = true;
    return true;
  }

  // What `ask()` answers, or throws, without the lock. The turn is over then, and the lock is held.
  template <typename Ask>
  auto Outside(std::unique_lock<std::mutex>& lock, Ask ask) {
    const End end(*this, lock);
    lock.unlock();
    return ask();
  }

 private:
  class End {
   public:
    End(Turn& turn, std::unique_lock<std::mutex>& lock) : turn_(turn), lock_(lock) {}
    ~End() {
      lock_.lock();
      turn_.taken_ = false;
      turn_.ended_.notify_all();
    }
    End(const End&) = delete;
    End& operator=(const End&) = delete;

   private:
    Turn& turn_;
    std::unique_lock<std::mutex>& lock_;
  };

  bool taken_ = false;
  std::condition_variable ended_;
};

}  // namespace tunehub::service
