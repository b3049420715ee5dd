#include "agent/device/worker.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "agent/base/configuration.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "kernels/cpu/catalog.h"
#include "kernels/device.h"
#include "kernels/gpu/nvml.h"
#include "kernels/sets/gpu_sets.h"
#include "kernels/timer.h"

namespace tunehub::agent {
namespace {

// Returns the candidate's cells in a row of `family`.
std::map<std::string, std::string> CellsOf(const core::Family& family,
                                           const kernels::Problem& problem,
                                           const kernels::Candidate& candidate) {
  std::map<std::string, std::string> cells;
  for (std::size_t i : family.config_columns) {
    const core::Column& column = family.columns[i];
    if (column.type == core::Type::kKernel) {
      cells[column.name] = candidate.kernel_name;  // one kernel runs both stages of a fused MoE
    } else if (column.name == "libtype") {
      cells[column.name] = kernels::kLibtype;
    } else if (column.name == "splitK" || column.name == "ksplit") {
      cells[column.name] = std::to_string(candidate.split_k);
    } else if (column.name == "block_m") {
      const auto config = kernels::ConfigOf(problem, candidate);
      if (config.ok()) cells[column.name] = std::to_string(config->block_m);
    }
  }
  return cells;
}

// Adds the kind of failure as code and as the reason's first word.
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

template <typename T>
core::Result<nlohmann::json> AnswerOf(const char* member, const core::Result<T>& result) {
  if (!result.ok()) return result.error();
  return nlohmann::json{{member, *result}};
}

}  // namespace

core::Result<nlohmann::json> Worker::Prepare(const nlohmann::json& request) {
  candidates_ = 0;
  const auto name = request.at("family").get<std::string>();
  const core::Family* family = families_.Find(name);
  if (family == nullptr) return core::Error{kUnsupported, fmt::format("unknown family '{}'", name)};
  const auto shape = request.at("shape").get<std::map<std::string, std::string>>();
  const auto problem =
      kernels::ReadProblem(*family, kernels::ShapeTexts(shape.begin(), shape.end()));
  if (!problem.ok()) return core::Error{kUnsupported, problem.error().detail};
  const auto offered = runner_.Prepare(*problem, request.at("seed").get<std::uint64_t>());
  if (!offered.ok()) return offered.error();
  candidates_ = offered->candidates.size();
  nlohmann::json list = nlohmann::json::array();
  for (const auto& it : offered->candidates) list.push_back(CellsOf(*family, *problem, it));
  return nlohmann::json{{"candidates", std::move(list)},
                        {"fallback", offered->fallback},
                        {"caches", offered->caches}};
}

core::Result<nlohmann::json> Worker::Verify(std::size_t candidate) {
  const auto check = runner_.Verify(candidate);
  if (!check.ok()) return check.error();
  nlohmann::json answer = {{"error", check->err_ratio}, {"wrong", ""}};
  if (!(check->frobenius <= kernels::kFrobeniusLimit)) {
    answer["wrong"] = fmt::format("the relative Frobenius error {:f} is above {:f}",
                                  check->frobenius, kernels::kFrobeniusLimit);
  }
  return answer;
}

core::Result<nlohmann::json> Worker::Sample(std::size_t candidate, const nlohmann::json& request) {
  const int calls = request.at("calls").get<int>();
  if (calls < 1) return core::Error{"bad_request", "`calls` must be at least 1"};
  const auto name = request.value("cache", std::string(NameOf(kernels::gpu::Cache::kRotating)));
  const auto cache = kernels::gpu::CacheOf(name);
  if (!cache) {
    return core::Error{"bad_request",
                       fmt::format("`cache` is '{}'; expected rotating, hot or cold", name)};
  }
  return AnswerOf("us", runner_.Sample(candidate, calls, *cache));
}

core::Result<nlohmann::json> Worker::Do(const nlohmann::json& request) {
  const auto what = request.at("do").get<std::string>();
  if (what == "prepare") return Prepare(request);
  if (what == "device") return runner_.Device();
  if (what == "kernels") {
    return AnswerOf("kernels", runner_.Kernels(request.at("family").get<std::string>()));
  }
  if (what == "pulse") {
    const auto pulse = runner_.FeelPulse();
    if (!pulse.ok()) return pulse.error();
    nlohmann::json answer = {{"us", pulse->us}};
    if (const auto& it = pulse->clocks) {
      answer["clocks"] = {it->sm_mhz, it->memory_mhz, it->celsius, it->watts, it->throttle};
    }
    return answer;
  }
  const auto index = request.at("candidate").get<std::size_t>();
  if (index >= candidates_) {
    return core::Error{"bad_request",
                       "`candidate` is not the index of a candidate of the prepared shape"};
  }
  if (what == "verify") return Verify(index);
  if (what == "sample") return Sample(index, request);
  return core::Error{"bad_request", fmt::format("`do` is '{}', which is unknown", what)};
}

nlohmann::json Worker::Answer(const nlohmann::json& request) {
  try {
    auto answer = Do(request);
    if (answer.ok()) return *std::move(answer);
    nlohmann::json failed = {{"failed", answer.error().code}, {"detail", answer.error().detail}};
    if (answer.error().code == kLost) failed["ends"] = true;
    return failed;
  } catch (const nlohmann::json::exception& error) {
    return {{"failed", "bad_request"}, {"detail", error.what()}};
  } catch (const std::bad_alloc&) {
    return {{"failed", kUnsupported}, {"detail", "not enough memory for the shape"}};
  }
}

void Worker::Serve(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    const auto request = core::ReadJson(line);
    // A text from a kernel might not be UTF-8.
    out << Answer(request).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
        << std::endl;
  }
}

int Serve(const std::string& configs, Runner& runner, Console& console) {
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, kWorkerCommand, configuration.error());
  Worker(configuration->families, runner).Serve(std::cin, console.out);
  return kGood;
}

int RunWorker(int argc, char** argv, Console& console) {
  const auto index =
      argc == 4 && std::string_view(argv[2]) == "gpu" ? core::ParseInt(argv[3]) : std::nullopt;
  if (argc != 2 && !index) {
    return Fail(console, kWorkerCommand,
                {"bad_arguments",
                 "tunehub-agent tune starts this program, with the arguments CONFIGS [gpu INDEX]"});
  }
  if (!index) {
    CpuRunner cpu;
    return Serve(argv[1], cpu, console);
  }
  GpuRunner gpu(*index);
  return Serve(argv[1], gpu, console);
}

core::Result<nlohmann::json> CpuRunner::Device() {
  const core::Target target = kernels::ThisCpu();
  return nlohmann::json{{"kind", "cpu"}, {"gfx", target.gfx}, {"cu_num", target.cu_num}};
}

core::Result<std::vector<std::string>> CpuRunner::Kernels(const std::string& family) {
  return kernels::Names(family);
}

core::Result<Offered> CpuRunner::Prepare(const kernels::Problem& problem, std::uint64_t seed) {
  bench_.reset();  // frees the last shape's memory first
  candidates_ = kernels::Candidates(problem);
  const auto fallback =
      std::find(candidates_.begin(), candidates_.end(), kernels::DefaultCandidate(problem));
  if (fallback == candidates_.end()) {
    return core::Error{
        kUnsupported,
        fmt::format("no kernel of {} can run this shape on this device", problem.family)};
  }
  auto bench = kernels::Workbench::Make(problem, seed);
  if (!bench.ok()) return core::Error{kUnsupported, bench.error().detail};
  bench_.emplace(*std::move(bench));
  return Offered{candidates_, static_cast<std::size_t>(fallback - candidates_.begin())};
}

core::Result<kernels::Check> CpuRunner::Verify(std::size_t candidate) {
  return bench_->Verify(candidates_[candidate]);
}

core::Result<double> CpuRunner::Sample(std::size_t candidate, int calls,
                                       kernels::gpu::Cache cache) {
  if (cache != kernels::gpu::Cache::kRotating) {
    return core::Error{"bad_request", "`cache`: a CPU supports only rotating"};
  }
  return bench_->TimeMicroseconds(candidates_[candidate], calls);
}

core::Result<Pulse> CpuRunner::FeelPulse() {
  return Pulse{kernels::PulseUs()};
}

core::Error NotPrepared(const core::Error& error) {
  const bool of_shape = error.code == kUnsupported || error.code == kernels::gpu::kOutOfMemory;
  return {of_shape ? kUnsupported : kLost, error.detail};
}

core::Status GpuRunner::Open() {
  if (gpu_) return core::Ok();
  auto gpu = kernels::gpu::OpenGpu(driver_(), index_, kernels::GpuSets());
  if (!gpu.ok()) return gpu.error();
  gpu_ = *std::move(gpu);
  const std::string address = kernels::gpu::PciAddress(*gpu_->driver, index_);
  const bool nvidia = gpu_->device.api == kernels::gpu::Api::kCuda;
  watch_.emplace(
      nvidia ? NvidiaGauge(index_, address) : AmdGauge("/", address),
      [this] { return bench_->sm_mhz(); }, gpu_->device.full_mhz, PowerWatch::Real());
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
  bench_.reset();  // frees the last shape's memory first
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
  return Judged(watch_->Keep([&] { return bench_->TimeMicroseconds(candidate, calls, cache); }));
}

core::Result<Pulse> GpuRunner::FeelPulse() {
  const auto us = Judged(watch_->Keep([this] { return bench_->PulseMicroseconds(); }));
  if (!us.ok()) return us.error();
  return Pulse{*us, false, watch_->Clocks()};
}

}  // namespace tunehub::agent
