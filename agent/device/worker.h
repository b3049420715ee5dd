// Answers the tuner's requests (listed in agent/device/worker_device.h) with this build's kernels,
// on the CPU or on one GPU. A further request is {"do":"device"}: the device's facts.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/device/device.h"
#include "agent/device/power_watch.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "kernels/config.h"
#include "kernels/cpu/workbench.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/workbench.h"
#include "kernels/problem.h"
#include "kernels/reference.h"

namespace tunehub::agent {

// After an error with this code, no candidate can run in this process. The worker reports the error
// and ends.
inline constexpr char kLost[] = "runtime";

struct Offered {
  std::vector<kernels::Candidate> candidates;
  std::size_t fallback = 0;
  bool caches = false;  // Sample() supports every kind of Cache
};

// Runs candidates inside the worker.
class Runner {
 public:
  virtual ~Runner() = default;
  // Returns the device: kind, name, gfx, cu_num, memory, driver, clocks. Errors: no_device, and
  // errors of the driver.
  virtual core::Result<nlohmann::json> Device() = 0;
  // All kernels of the family, for any shape. Errors: those of Device.
  virtual core::Result<std::vector<std::string>> Kernels(const std::string& family) = 0;
  // Selects the problem for the following calls. Errors: unsupported_shape (also: too large for the
  // device's memory), kLost, those of Device.
  virtual core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) = 0;
  virtual core::Result<kernels::Check> Verify(std::size_t candidate) = 0;
  // Errors: bad_request (this runner does not support the kind of Cache).
  virtual core::Result<double> Sample(std::size_t candidate, int calls,
                                      kernels::gpu::Cache cache) = 0;
  virtual core::Result<Pulse> FeelPulse() = 0;
};

class CpuRunner : public Runner {
 public:
  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<Pulse> FeelPulse() override;

 private:
  std::vector<kernels::Candidate> candidates_;
  std::optional<kernels::Workbench> bench_;
};

// Maps an error from making a workbench. If no kernel computes the shape or the memory is too
// small, returns unsupported_shape. Otherwise returns kLost, since this process has lost its
// device.
core::Error NotPrepared(const core::Error& error);

class GpuRunner : public Runner {
 public:
  using DriverSource = const core::Result<kernels::gpu::Driver>& (*)();
  // Does not open the GPU. The first call that needs the GPU opens it. `index`: its number among
  // the GPUs that the driver sees.
  explicit GpuRunner(int index, DriverSource driver = kernels::gpu::ThisDriver)
      : index_(index), driver_(driver) {}

  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<Pulse> FeelPulse() override;

 private:
  core::Status Open();

  int index_;
  DriverSource driver_;
  std::optional<kernels::gpu::ThisGpu> gpu_;
  std::optional<kernels::gpu::GpuWorkbench> bench_;
  std::optional<PowerWatch> watch_;
};

class Worker {
 public:
  // Both arguments must outlive this object.
  Worker(const core::Families& families, Runner& runner) : families_(families), runner_(runner) {}

  // Always returns an answer. The answer to an error is {"failed": code, "detail": ...}.
  nlohmann::json Answer(const nlohmann::json& request);
  // Reads a line of JSON and writes a line of JSON, until `in` ends.
  void Serve(std::istream& in, std::ostream& out);

 private:
  core::Result<nlohmann::json> Prepare(const nlohmann::json& request);
  core::Result<nlohmann::json> Verify(std::size_t candidate);
  core::Result<nlohmann::json> Sample(std::size_t candidate, const nlohmann::json& request);
  core::Result<nlohmann::json> Do(const nlohmann::json& request);

  const core::Families& families_;
  Runner& runner_;
  // number of candidates of the prepared shape; 0: no shape is prepared
  std::size_t candidates_ = 0;
};

// tunehub-agent worker CONFIGS [gpu INDEX]: runs candidates on the CPU, or on that GPU. It answers
// each line of JSON with a line of JSON, until its input ends. CONFIGS: a folder, or "" for the
// built-in configuration. `tunehub-agent tune` starts this command; users do not type it.
inline constexpr char kWorkerCommand[] = "worker";

// Answers std::cin on `console`. Returns the exit code.
int Serve(const std::string& configs, Runner& runner, Console& console);

int RunWorker(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
