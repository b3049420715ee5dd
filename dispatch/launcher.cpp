#include "dispatch/launcher.h"

#include <fmt/core.h>

#include <utility>

#include "dispatch/failure.h"
#include "kernels/sets/gpu_sets.h"

namespace tunehub::th {
namespace {

// Limits memory for an engine that uses every M: a map of this size is cleared.
constexpr std::size_t kMostRemembered = 8192;
// A plan takes about one kilobyte, and an engine has hundreds of layers.
constexpr std::size_t kMostPlans = 512;

struct Gpus {
  std::shared_mutex mutex;
  std::map<int, std::unique_ptr<Gpu>> by_id;
};

// Never destroyed: at the end of a process, the driver ends before it could unload its modules.
Gpus& AllGpus() {
  static Gpus& all = *new Gpus;
  return all;
}

}  // namespace

Choices::Choices(kernels::Problem problem, kernels::gpu::DeviceProperties device,
                 const kernels::gpu::KernelSet& kernels)
    : problem_(std::move(problem)), device_(std::move(device)), kernels_(kernels) {}

kernels::Problem Choices::ProblemAt(int m) const {
  kernels::Problem problem = problem_;
  problem.m = m;
  return problem;
}

core::Error Choices::NoKernel(int m, const std::string& what) const {
  return {"unknown_kernel",
          fmt::format("{} (family {} for {} at M={} N={} K={})", what, problem_.family,
                      device_.target.gfx, m, problem_.n, problem_.k)};
}

core::Result<Choice> Choices::Search(int m, std::string_view kernel_name, int split_k) const {
  const kernels::Problem problem = ProblemAt(m);
  for (kernels::Candidate& it : kernels_.Candidates(problem, device_)) {
    if (it.kernel_name != kernel_name || it.split_k != split_k) continue;
    const std::size_t bytes = kernels_.WorkspaceBytes(problem, it, device_);
    return Choice{std::move(it), bytes};
  }
  return NoKernel(
      m, fmt::format("'{}' with splitK {} is not a kernel of tunehub", kernel_name, split_k));
}

core::Result<Choice> Choices::Find(int m, std::string_view kernel_name, int split_k) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = found_.find(std::tuple(m, split_k, kernel_name));
    if (found != found_.end()) return found->second;
  }
  auto choice = Search(m, kernel_name, split_k);
  if (!choice.ok()) return choice;
  const std::unique_lock lock(mutex_);
  if (found_.size() >= kMostRemembered) found_.clear();
  found_.emplace(std::tuple(m, split_k, std::string(kernel_name)), *choice);
  return choice;
}

core::Result<DefaultKernel> Choices::Default(int m) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = defaults_.find(m); found != defaults_.end()) return found->second;
  }
  const auto candidates = kernels_.Candidates(ProblemAt(m), device_);
  if (candidates.empty()) return NoKernel(m, "tunehub has no kernel");
  const std::unique_lock lock(mutex_);
  const auto name = names_.insert(candidates.front().kernel_name).first;
  if (defaults_.size() >= kMostRemembered) defaults_.clear();
  return defaults_[m] = DefaultKernel{name->c_str(), candidates.front().split_k};
}

namespace {

using core::Error;

constexpr std::uintptr_t kAlignment = 16;  // vector loads and copy engines require it

struct Address {
  const char* name;
  const void* at;
  bool needed;
};

core::Status Check(const Address& address) {
  if (!address.needed) return core::Ok();
  if (auto status = NotNull(address.at, address.name); !status.ok()) return status;
  if (reinterpret_cast<std::uintptr_t>(address.at) % kAlignment == 0) return core::Ok();
  return Error{"bad_argument",
               fmt::format("{} must be aligned to {} bytes", address.name, kAlignment)};
}

std::string Text(std::string_view gfx, int cu_num) {
  return fmt::format("{} with {} compute units", gfx, cu_num);
}

}  // namespace

core::Result<std::shared_ptr<Launcher>> Launcher::Make(const core::Family& family,
                                                       const core::Target& target,
                                                       const core::FamilyShape& shape) {
  const auto problem =
      kernels::ReadProblem(family, core::Cells(shape.cells.begin(), shape.cells.end()));
  if (!problem.ok()) return problem.error();
  const auto device = kernels::gpu::PropertiesOf({target.gfx, target.cu_num});
  const auto set = kernels::gpu::SetFor(device, kernels::GpuSets());
  if (!set.ok()) return set.error();
  return std::make_shared<Launcher>(target, (*set)->InEncoding(*problem, device), **set);
}

Launcher::Launcher(const core::Target& target, const kernels::Problem& problem,
                   const kernels::gpu::KernelSet& kernels)
    : target_(target),
      choices_(problem, kernels::gpu::PropertiesOf({target.gfx, target.cu_num}), kernels) {}

core::Status Launcher::CheckAddresses(const LaunchRequest& request,
                                      std::size_t workspace_bytes) const {
  if (request.workspace_bytes < workspace_bytes) {
    return Error{"workspace_too_small",
                 fmt::format("the workspace has {} bytes, but the launch needs {}",
                             request.workspace_bytes, workspace_bytes)};
  }
  const bool scaled = choices_.ProblemAt(request.m).scaling != kernels::Scaling::kNone;
  const th_operands& operands = request.operands;
  for (const Address& it : {Address{"a", operands.a, true},
                            {"a_scale", operands.a_scale, scaled},
                            {"w", operands.w, true},
                            {"w_scale", operands.w_scale, scaled},
                            {"out", operands.out, true},
                            {"workspace", request.workspace, workspace_bytes > 0}}) {
    if (auto status = Check(it); !status.ok()) return status;
  }
  return core::Ok();
}

std::size_t PlanHash::operator()(const PlanKey& key) const {
  std::size_t hash = std::hash<std::string_view>()(key.kernel_name);
  for (const std::uintptr_t number : key.numbers) {
    hash = (hash ^ number) * 0x9E3779B97F4A7C15;  // 2^64 / the golden ratio
    hash ^= hash >> 32;
  }
  return hash;
}

namespace {

PlanKey KeyOf(const LaunchRequest& request, const Gpu* gpu) {
  const auto number = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const th_operands& at = request.operands;
  return {{number(gpu), static_cast<std::uintptr_t>(request.m),
           static_cast<std::uintptr_t>(request.split_k), number(at.a), number(at.a_scale),
           number(at.w), number(at.w_scale), number(at.out), number(request.workspace)},
          request.kernel_name};
}

}  // namespace

core::Result<std::unique_ptr<LaunchPlan>> Launcher::Plan(const LaunchRequest& request) {
  const auto choice = choices_.Find(request.m, request.kernel_name, request.split_k);
  if (!choice.ok()) return choice.error();
  if (auto status = CheckAddresses(request, choice->workspace_bytes); !status.ok()) {
    return status.error();
  }
  const auto gpu = CurrentGpu();
  if (!gpu.ok()) return gpu.error();
  const auto& device = (*gpu)->device();
  if (device.target.gfx != target_.gfx || device.target.cu_num != target_.cu_num) {
    return Error{"wrong_device", fmt::format("the layer is for {}, but the current GPU is {}",
                                             Text(target_.gfx, target_.cu_num),
                                             Text(device.target.gfx, device.target.cu_num))};
  }
  const th_operands& operands = request.operands;
  const auto address = [](const void* at) { return const_cast<void*>(at); };
  const kernels::gpu::Addresses addresses = {address(operands.a), address(operands.a_scale),
                                             address(operands.w), address(operands.w_scale),
                                             operands.out,        request.workspace};
  auto launches = choices_.kernels().Plan(choices_.ProblemAt(request.m), choice->candidate, device,
                                          (*gpu)->driver(), addresses);
  if (!launches.ok()) return launches.error();
  auto steps = (*gpu)->Load(*std::move(launches));
  if (!steps.ok()) return steps.error();
  return std::make_unique<LaunchPlan>(
      LaunchPlan{std::string(request.kernel_name), choice->workspace_bytes, *std::move(steps)});
}

core::Status Launcher::Launch(const LaunchRequest& request) {
  const auto gpu = CurrentGpu();
  const auto stream = static_cast<hipStream_t>(request.stream);
  PlanKey key = KeyOf(request, gpu.ok() ? *gpu : nullptr);
  {
    const std::shared_lock lock(mutex_);
    const auto found = plans_.find(key);
    if (found != plans_.end() && found->second->workspace_bytes <= request.workspace_bytes) {
      return (*gpu)->Run(*found->second, stream);
    }
  }
  auto plan = Plan(request);
  if (!plan.ok()) return plan.error();
  const auto status = (*gpu)->Run(**plan, stream);
  key.kernel_name = (*plan)->kernel_name;
  const std::unique_lock lock(mutex_);
  if (plans_.size() >= kMostPlans) plans_.clear();
  plans_.emplace(key, *std::move(plan));
  return status;
}

Gpu::Gpu(const kernels::gpu::Driver& driver, kernels::gpu::DeviceProperties device)
    : driver_(driver), device_(std::move(device)), modules_(driver) {}

core::Result<std::vector<LaunchPlan::Step>> Gpu::Load(kernels::gpu::Launches launches) {
  const std::scoped_lock lock(mutex_);
  std::vector<LaunchPlan::Step> steps;
  for (kernels::gpu::Launch& launch : launches) {
    const auto function = modules_.Find(launch);
    if (!function.ok()) return function.error();
    steps.push_back({std::move(launch), *function});
  }
  return steps;
}

core::Status Gpu::Run(const LaunchPlan& plan, hipStream_t stream) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (plan.steps.size() > 1) lock.lock();
  for (const auto& [launch, function] : plan.steps) {
    if (auto status = modules_.Start(launch, function, stream); !status.ok()) return status;
  }
  return core::Ok();
}

core::Result<Gpu*> CurrentGpu() {
  const auto& driver = kernels::gpu::ThisDriver();
  if (!driver.ok()) return driver.error();
  const auto id = kernels::gpu::CurrentDevice(*driver);
  if (!id.ok()) return id.error();
  Gpus& all = AllGpus();
  {
    const std::shared_lock lock(all.mutex);
    if (const auto found = all.by_id.find(*id); found != all.by_id.end())
      return found->second.get();
  }
  auto device = kernels::gpu::DescribeDevice(*driver, *id);
  if (!device.ok()) return device.error();
  const std::unique_lock lock(all.mutex);
  auto& gpu = all.by_id[*id];  // another thread may have been first
  if (gpu == nullptr) gpu = std::make_unique<Gpu>(*driver, *std::move(device));
  return gpu.get();
}

}  // namespace tunehub::th
