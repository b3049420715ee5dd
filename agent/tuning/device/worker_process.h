// A child process that answers one line of JSON per line of JSON: whatever it does, crash, hang or
// talk nonsense, the parent lives and knows.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/fd.h"

namespace tunehub::agent::tuning {

class WorkerProcess {
 public:
  // `command`: the program's path, then its arguments.
  explicit WorkerProcess(std::vector<std::string> command) : command_(std::move(command)) {}
  ~WorkerProcess() { Stop(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts the process where it does not run. The answer, or an error after which it does not run
  // any more: worker_crashed (with the signal or status), worker_hung (no answer within the
  // deadline), worker_garbage (no JSON object, a line without end), worker_unstartable.
  core::Result<nlohmann::json> Ask(const nlohmann::json& request,
                                   std::chrono::milliseconds deadline);
  // Ends it, from any thread; an Ask that waits returns worker_crashed.
  void Kill();
  // The same, and waits for its end.
  void Stop();

  bool Runs() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }  // 0: none

 private:
  core::Status Start();
  core::Result<std::string> ReadLine(std::chrono::steady_clock::time_point deadline);
  // Reaps the dead process; says how it ended.
  core::Error Reap();

  std::vector<std::string> command_;
  std::mutex lifetime_;  // of the process behind pid_, so that a reused pid is never signalled
  std::atomic<pid_t> pid_{0};
  core::Fd channel_;  // to its input, and from its output
  std::string unread_;
};

}  // namespace tunehub::agent::tuning
