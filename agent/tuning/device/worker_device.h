// A device behind a worker process, so that a candidate that crashes or hangs costs that candidate
// and a restart. The worker (agent/worker) answers lines such as
//
//   {"do":"prepare","family":"a8w8","shape":{"M":"16",...},"seed":1}
//     {"candidates":[{"kernelName":"tk_...","splitK":"0"},...],"fallback":3}
//   {"do":"verify","candidate":7}               {"error":0.0,"wrong":""}
//   {"do":"sample","candidate":7,"calls":20}    {"us":12.5}
//   {"do":"sample","candidate":7,"calls":5,"cache":"cold"}    {"us":19.5}
//   {"do":"kernels","family":"a8w8"}            {"kernels":["tk_...",...]}
//   {"do":"pulse"}                              {"us":812.5}
//   any of them                                 {"failed":"unsupported_shape","detail":"..."}
//
// An offer with "caches":true comes from a GPU, whose samples may be asked for hot and cold; a
// CPU's worker refuses these. With "ends":true beside "failed" the process has lost its device and
// is not asked again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/tuning/device/device.h"
#include "agent/tuning/device/worker_process.h"

namespace tunehub::agent::tuning {

struct WorkerOptions {
  std::vector<std::string> command;             // the program's path, then its arguments
  std::chrono::milliseconds candidate{30'000};  // one answer about one candidate
  // Making a problem's data and its reference, in plain loops, for the largest shapes.
  std::chrono::milliseconds prepare{300'000};
  std::uint64_t seed = 1;  // of the data
};

class WorkerDevice : public TuningDevice {
 public:
  explicit WorkerDevice(WorkerOptions options)
      : options_(std::move(options)), worker_(options_.command) {}

  core::Result<Offer> Prepare(const std::string& family, const Columns& shape) override;
  core::Result<Verdict> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) override;
  core::Result<double> Pulse() override;

  // Every kernel of the family that the worker has, whatever the shape. Errors: no_device.
  core::Result<std::vector<std::string>> Kernels(const std::string& family);

  // Gives everything back at once, from any thread; a call that waits returns `interrupted`, and
  // the next call starts the worker again, with the shape as it was.
  void Interrupt();
  pid_t pid() const { return worker_.pid(); }  // 0: no worker runs

 private:
  core::Result<nlohmann::json> PrepareWorker();
  core::Result<nlohmann::json> Ask(const nlohmann::json& request);
  core::Result<double> Microseconds(const nlohmann::json& request);
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

}  // namespace tunehub::agent::tuning
