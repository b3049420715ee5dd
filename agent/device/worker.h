// Answers the tuner's requests (agent/device/worker_device.h has them) by the kernels of
// this build, on the CPU or on one GPU. Beside those, {"do":"device"} asks what runs them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/device/device.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "kernels/config.h"
#include "kernels/cpu/workbench.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/workbench.h"
#include "kernels/problem.h"
#include "kernels/reference.h"

namespace tunehub::agent {

// An error of this code leaves nothing behind that could run another candidate: the worker says so
// and ends.
inline constexpr char kLost[] = "runtime";

struct Offered {
  std::vector<kernels::Candidate> candidates;
  std::size_t fallback = 0;
  bool caches = false;  // Sample takes every kind of Cache
};

// What runs candidates inside the worker.
class Runner {
 public:
  virtual ~Runner() = default;
  // What it runs on: kind, name, gfx, cu_num, memory, driver, clocks. Errors: no_device and the
  // like.
  virtual core::Result<nlohmann::json> Device() = 0;
  // Every kernel of the family that it has, whatever the shape. Errors: those of Device.
  virtual core::Result<std::vector<std::string>> Kernels(const std::string& family) = 0;
  // Makes the problem the one that the following calls are about. Errors: unsupported_shape (also
  // one that the device's memory does not hold), kLost, those of Device.
  virtual core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) = 0;
  virtual core::Result<kernels::Check> Verify(std::size_t candidate) = 0;
  // Errors of a runner without the kind of Cache: bad_request.
  virtual core::Result<double> Sample(std::size_t candidate, int calls,
                                      kernels::gpu::Cache cache) = 0;
  virtual core::Result<double> Pulse() = 0;
};

class CpuRunner : public Runner {
 public:
  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<double> Pulse() override;

 private:
  std::vector<kernels::Candidate> candidates_;
  std::optional<kernels::Workbench> bench_;
};

// The runner's answer where a workbench could not be made: a shape that no kernel computes, or that
// the memory does not hold, is that shape's affair (unsupported_shape); after anything else nothing
// can be asked of this process's device (kLost).
core::Error NotPrepared(const core::Error& error);

class GpuRunner : public Runner {
 public:
  using DriverSource = const core::Result<kernels::gpu::Driver>& (*)();
  // The GPU is opened by the first call that needs it. `index`: among those that the driver sees.
  explicit GpuRunner(int index, DriverSource driver = kernels::gpu::ThisDriver)
      : index_(index), driver_(driver) {}

  core::Result<nlohmann::json> Device() override;
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override;
  core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) override;
  core::Result<kernels::Check> Verify(std::size_t candidate) override;
  core::Result<double> Sample(std::size_t candidate, int calls, kernels::gpu::Cache cache) override;
  core::Result<double> Pulse() override;

 private:
  core::Status Open();

  int index_;
  DriverSource driver_;
  std::optional<kernels::gpu::ThisGpu> gpu_;
  std::optional<kernels::gpu::GpuWorkbench> bench_;
};

class Worker {
 public:
  // Both must outlive it.
  Worker(const core::Families& families, Runner& runner) : families_(families), runner_(runner) {}

  // Always an answer: what cannot be done is {"failed": code, "detail": ...}.
  nlohmann::json Answer(const nlohmann::json& request);
  // A line of JSON out for a line of JSON in, until `in` ends.
  void Serve(std::istream& in, std::ostream& out);

 private:
  core::Result<nlohmann::json> Prepare(const nlohmann::json& request);
  core::Result<nlohmann::json> Verify(std::size_t candidate);
  core::Result<nlohmann::json> Sample(std::size_t candidate, const nlohmann::json& request);
  core::Result<nlohmann::json> Do(const nlohmann::json& request);

  const core::Families& families_;
  Runner& runner_;
  std::size_t candidates_ = 0;  // of the prepared shape; 0: none is
};

// tunehub-agent worker CONFIGS [gpu INDEX]: on the CPU, or on that GPU; one line of JSON in, one
// line of JSON out, until its input ends. CONFIGS is a folder, or "" for the configuration that the
// program carries. `tunehub-agent tune` starts it, no person does.
inline constexpr char kWorkerCommand[] = "worker";

// Answers std::cin on `console`. Returns the exit code.
int Serve(const std::string& configs, Runner& runner, Console& console);

int RunWorker(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
