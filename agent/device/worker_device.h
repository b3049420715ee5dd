// Uses a device through a worker process. A crash or a hang then costs only one candidate and a
// restart. The worker (worker.h) answers requests such as
//
//   {"do":"prepare","family":"a8w8","shape":{"M":"16",...},"seed":1}
//     {"candidates":[{"kernelName":"tk_...","splitK":"0"},...],"fallback":3}
//   {"do":"verify","candidate":7}               {"error":0.0,"wrong":""}
//   {"do":"sample","candidate":7,"calls":20}    {"us":12.5}
//   {"do":"sample","candidate":7,"calls":5,"cache":"cold"}    {"us":19.5}
//   {"do":"kernels","family":"a8w8"}            {"kernels":["tk_...",...]}
//   {"do":"pulse"}    {"us":812.5,"capped":true,"clocks":[1600,3201,48,412.5,4]}
//   any of them       {"failed":"unsupported_shape","detail":"..."}
//
// "caches":true: the device is a GPU, which also takes hot and cold samples; a CPU's worker refuses
// these. "capped" (by the power limit) and "clocks" (SM MHz, memory MHz, degrees C, watts, reasons
// to throttle) may be missing. "ends":true beside "failed": the process has lost its device and
// gets no further request.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/device/device.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::agent {

// A child process that answers one line of JSON per line of JSON. If the child crashes, hangs or
// answers garbage, the parent gets an error.
class WorkerProcess {
 public:
  // `command`: the program's path, then its arguments.
  explicit WorkerProcess(std::vector<std::string> command) : command_(std::move(command)) {}
  ~WorkerProcess() { Stop(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts the process if it does not run. After an error the process no longer runs. Errors:
  // worker_crashed (with the signal or status), worker_hung (no answer within the deadline),
  // worker_garbage (not a JSON object, or a line without end), worker_unstartable.
  core::Result<nlohmann::json> Ask(const nlohmann::json& request,
                                   std::chrono::milliseconds deadline);
  // Kills the process, from any thread; a waiting Ask returns worker_crashed.
  void Kill();
  // Ends the process, and waits for its end.
  void Stop();

  bool Runs() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }  // 0: none

 private:
  core::Status Start();
  core::Result<std::string> ReadLine(std::chrono::steady_clock::time_point deadline);
  // Kills and reaps the process; returns how it ended.
  core::Error Reap();

  std::vector<std::string> command_;
  std::mutex lifetime_;  // guards pid_ and its process, so that a reused pid gets no signal
  std::atomic<pid_t> pid_{0};
  core::Fd channel_;  // the worker's input and output
  std::string unread_;
};

struct WorkerOptions {
  std::vector<std::string> command;             // the program's path, then its arguments
  std::chrono::milliseconds candidate{30'000};  // one answer about one candidate
  // The limit is long enough to make the data and the reference of the largest shapes with plain
  // loops.
  std::chrono::milliseconds prepare{300'000};
  std::uint64_t seed = 1;  // the seed of the input data
};

class WorkerDevice : public TuningDevice {
 public:
  explicit WorkerDevice(WorkerOptions options)
      : options_(std::move(options)), worker_(options_.command) {}

  core::Result<Offer> Prepare(const std::string& family, const Columns& shape) override;
  core::Result<Verdict> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) override;
  core::Result<Pulse> FeelPulse() override;

  // Returns all kernels of the family in the worker, for any shape. Errors: no_device.
  core::Result<std::vector<std::string>> Kernels(const std::string& family);

  // Frees the device at once, from any thread. A waiting call returns `interrupted`; the next call
  // starts the worker again with the same shape.
  void Interrupt();
  pid_t pid() const { return worker_.pid(); }  // 0: no worker runs

 private:
  core::Result<nlohmann::json> PrepareWorker();
  core::Result<nlohmann::json> Ask(const nlohmann::json& request);
  // Stores the whole answer in `all`, unless `all` is null.
  core::Result<double> Microseconds(const nlohmann::json& request, nlohmann::json* all = nullptr);
  core::Error Garbage(const std::string& what);

  WorkerOptions options_;
  WorkerProcess worker_;
  std::string family_;
  Columns shape_;
  bool prepared_ = false;  // the running worker has the shape
  std::atomic<unsigned> interrupts_{0};
  unsigned seen_interrupts_ = 0;
};

inline constexpr char kInterrupted[] = "interrupted";

}  // namespace tunehub::agent
