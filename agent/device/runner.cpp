#include "agent/device/runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/cpu/catalog.h"
#include "kernels/device.h"
#include "kernels/gpu/nvml.h"
#include "kernels/sets/gpu_sets.h"
#include "kernels/timer.h"

namespace tunehub::agent {

core::Result<nlohmann::json> CpuRunner::Device() {
  const core::Target target = kernels::ThisCpu();
  return nlohmann::json{{"kind", "cpu"}, {"gfx", target.gfx}, {"cu_num", target.cu_num}};
}

core::Result<std::vector<std::string>> CpuRunner::Kernels(const std::string& family) {
  return kernels::Names(family);
}

core::Result<Offered> CpuRunner::Prepare(const kernels::Problem& problem, std::uint64_t seed) {
  bench_.reset();  // its memory first
  candidates_ = kernels::Candidates(problem);
  const auto fallback =
      std::find(candidates_.begin(), candidates_.end(), kernels::DefaultCandidate(problem));
  if (fallback == candidates_.end()) {
    return core::Error{kUnsupportedShape,
                       fmt::format("no kernel of {} runs this shape here", problem.family)};
  }
  auto bench = kernels::Workbench::Make(problem, seed);
  if (!bench.ok()) return core::Error{kUnsupportedShape, bench.error().detail};
  bench_.emplace(*std::move(bench));
  return Offered{candidates_, static_cast<std::size_t>(fallback - candidates_.begin())};
}

core::Result<kernels::Check> CpuRunner::Verify(std::size_t candidate) {
  return bench_->Verify(candidates_[candidate]);
}

core::Result<double> CpuRunner::Sample(std::size_t candidate, int calls,
                                       kernels::gpu::Cache cache) {
  if (cache != kernels::gpu::Cache::kRotating) {
    return core::Error{"bad_request", "inputs on a CPU rotate: there is no time hot or cold"};
  }
  return bench_->TimeMicroseconds(candidates_[candidate], calls);
}

core::Result<double> CpuRunner::Pulse() {
  return kernels::PulseUs();
}

namespace {

// As a candidate's invalidity is called, which its reason begins with.
core::Error Invalid(const core::Error& error) {
  const bool compile =
      error.code == kernels::gpu::kWrongArch || error.code == kernels::gpu::kDriverTooOld;
  const std::string code = compile                                    ? "compile"
                           : error.code == kernels::gpu::kOutOfMemory ? "constraints"
                                                                      : kLost;
  return {code, code + ": " + error.detail};
}

template <typename T>
core::Result<T> Judged(core::Result<T> result) {
  if (result.ok()) return result;
  return Invalid(result.error());
}

}  // namespace

core::Error NotPrepared(const core::Error& error) {
  const bool of_shape = error.code == kUnsupportedShape || error.code == kernels::gpu::kOutOfMemory;
  return {of_shape ? kUnsupportedShape : kLost, error.detail};
}

core::Status GpuRunner::Open() {
  if (gpu_) return core::Ok();
  auto gpu = kernels::gpu::OpenGpu(driver_(), index_, kernels::GpuSets());
  if (!gpu.ok()) return gpu.error();
  gpu_ = *std::move(gpu);
  return core::Ok();
}

core::Result<nlohmann::json> GpuRunner::Device() {
  if (const auto status = Open(); !status.ok()) return status.error();
  const auto& device = gpu_->device;
  const bool nvidia = device.api == kernels::gpu::Api::kCuda;
  nlohmann::json answer = {{"kind", nvidia ? "nvidia" : "amd"},
                           {"name", device.name},
                           {"gfx", device.target.gfx},
                           {"cu_num", device.target.cu_num},
                           {"memory", device.memory_bytes},
                           {"driver", std::to_string(device.driver_version)},
                           {"clocks", ""},
                           {"address", kernels::gpu::PciAddress(*gpu_->driver, index_)}};
  const auto nvml =
      nvidia ? kernels::gpu::Nvml::Open(index_, answer["address"]) : core::Error{"none", ""};
  if (nvml.ok()) {
    answer["driver"] = nvml->DriverVersion();
    answer["clocks"] = nvml->ClocksText();
    answer["pci_id"] = nvml->PciId();
    answer["power_limit"] = nvml->PowerLimit();
  }
  return answer;
}

core::Result<std::vector<std::string>> GpuRunner::Kernels(const std::string& family) {
  if (const auto status = Open(); !status.ok()) return status.error();
  return gpu_->kernels->Names(family, gpu_->device);
}

core::Result<Offered> GpuRunner::Prepare(const kernels::Problem& problem, std::uint64_t seed) {
  bench_.reset();  // its memory first
  if (const auto status = Open(); !status.ok()) return status.error();
  kernels::gpu::GpuWorkbenchOptions options;
  options.seed = seed;
  options.threads = kernels::UsableCores();
  auto bench = kernels::gpu::GpuWorkbench::Make(problem, *gpu_->kernels, *gpu_->driver,
                                                gpu_->device, options);
  if (!bench.ok()) return NotPrepared(bench.error());
  bench_.emplace(*std::move(bench));
  return Offered{bench_->candidates(), 0, true};
}

core::Result<kernels::Check> GpuRunner::Verify(std::size_t candidate) {
  return Judged(bench_->Verify(candidate));
}

core::Result<double> GpuRunner::Sample(std::size_t candidate, int calls,
                                       kernels::gpu::Cache cache) {
  return Judged(bench_->TimeMicroseconds(candidate, calls, cache));
}

core::Result<double> GpuRunner::Pulse() {
  return Judged(bench_->PulseMicroseconds());
}

}  // namespace tunehub::agent
