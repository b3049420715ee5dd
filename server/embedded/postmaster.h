// The running postmaster: our child, asked after and stopped from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>

namespace tunehub::embedded {

class Postmaster {
 public:
  // Takes over a child that Start() made; there is none left of an earlier one.
  void Adopt(pid_t pid);

  bool Alive();

  // Fast shutdown, after two thirds of the time the immediate one, at its end SIGKILL. On return it
  // is gone. Its backends may outlive a SIGKILL for a moment: the next start waits for them on
  // pg.lock.
  void Stop(std::chrono::milliseconds wait);

 private:
  bool AliveLocked();
  void Signal(int signal);
  bool WaitGone(std::chrono::milliseconds wait);

  std::mutex mutex_;
  pid_t pid_ = 0;  // guarded by mutex_; 0: none, or gone and reaped
};

}  // namespace tunehub::embedded
