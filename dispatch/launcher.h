// Launches tunehub's own kernels for one layer, on the current GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "dispatch/tunehub_dispatch.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/modules.h"
#include "kernels/problem.h"

namespace tunehub::th {

struct Choice {
  kernels::Candidate candidate;
  std::size_t workspace_bytes = 0;
};

struct DefaultKernel {
  const char* name;  // lives as long as the Choices
  int split_k;
};

// tunehub's own kernels that a layer can launch, by name. A Choices object searches each kernel
// once per M, then caches it.
class Choices {
 public:
  // `kernels` must outlive the object. Ignores the M of `problem`.
  Choices(kernels::Problem problem, kernels::gpu::DeviceProperties device,
          const kernels::gpu::KernelSet& kernels);

  // Returns a candidate that can run at m. It may be the candidate of an M to which a lookup pads
  // m. Errors: unknown_kernel, with name and shape.
  core::Result<Choice> Find(int m, std::string_view kernel_name, int split_k);
  // The untuned kernel. Errors: unknown_kernel.
  core::Result<DefaultKernel> Default(int m);

  kernels::Problem ProblemAt(int m) const;
  const kernels::gpu::KernelSet& kernels() const { return kernels_; }

 private:
  core::Result<Choice> Search(int m, std::string_view kernel_name, int split_k) const;
  core::Error NoKernel(int m, const std::string& what) const;

  const kernels::Problem problem_;
  const kernels::gpu::DeviceProperties device_;
  const kernels::gpu::KernelSet& kernels_;

  std::shared_mutex mutex_;
  std::map<std::tuple<int, int, std::string>, Choice, std::less<>> found_;  // by M, split-K, name
  std::map<int, DefaultKernel> defaults_;                                   // by M
  std::set<std::string> names_;  // names of defaults; never removed
};

// The arguments of th_launch.
struct LaunchRequest {
  int m;
  std::string_view kernel_name;
  int split_k;
  const th_operands& operands;
  void* workspace;
  std::size_t workspace_bytes;
  void* stream;
};

class Gpu;

// A launch in the driver's form: one kernel, one M and one set of addresses on one GPU.
struct LaunchPlan {
  struct Step {
    kernels::gpu::Launch launch;
    kernels::gpu::Modules::Function function;
  };
  std::string kernel_name;
  std::size_t workspace_bytes = 0;
  std::vector<Step> steps;
};

struct PlanKey {
  std::array<std::uintptr_t, 9> numbers;  // GPU, M, split K, addresses
  std::string_view kernel_name;

  bool operator==(const PlanKey&) const = default;
};
struct PlanHash {
  std::size_t operator()(const PlanKey& key) const;
};

class Launcher {
 public:
  // Errors: unsupported_family, unsupported_shape (tunehub has no kernel for the family or the
  // shape); wrong_arch (this build has no kernel for the target).
  static core::Result<std::shared_ptr<Launcher>> Make(const core::Family& family,
                                                      const core::Target& target,
                                                      const core::FamilyShape& shape);
  Launcher(const core::Target& target, const kernels::Problem& problem,
           const kernels::gpu::KernelSet& kernels);

  Choices& choices() { return choices_; }
  // Errors: as Choices::Find; null_argument, bad_argument (an unaligned address),
  // workspace_too_small; wrong_device (the current GPU is another target); the driver's errors.
  core::Status Launch(const LaunchRequest& request);

 private:
  core::Status CheckAddresses(const LaunchRequest& request, std::size_t workspace_bytes) const;
  // Errors: as Launch.
  core::Result<std::unique_ptr<LaunchPlan>> Plan(const LaunchRequest& request);

  const core::Target target_;
  Choices choices_;
  std::shared_mutex mutex_;
  // The name in a PlanKey points to the plan's own name.
  std::unordered_map<PlanKey, std::unique_ptr<LaunchPlan>, PlanHash> plans_;  // guarded by mutex_
};

class Gpu {
 public:
  Gpu(const kernels::gpu::Driver& driver, kernels::gpu::DeviceProperties device);

  const kernels::gpu::Driver& driver() const { return driver_; }
  const kernels::gpu::DeviceProperties& device() const { return device_; }

  // Loads the launches' code at the first call. A thread may call these functions if this is its
  // current GPU. Errors: as Modules::Find.
  core::Result<std::vector<LaunchPlan::Step>> Load(kernels::gpu::Launches launches);
  // Puts the launches into the stream. The two launches of one plan share a workspace, so no other
  // plan with two launches may run between them. Errors: the driver's.
  core::Status Run(const LaunchPlan& plan, hipStream_t stream);

 private:
  const kernels::gpu::Driver& driver_;
  const kernels::gpu::DeviceProperties device_;
  std::mutex mutex_;  // guards modules_; keeps the two launches of a plan together
  kernels::gpu::Modules modules_;
};

// The calling thread's current GPU. The object lives as long as the process. Errors: as ThisDriver,
// CurrentDevice and DescribeDevice.
core::Result<Gpu*> CurrentGpu();

}  // namespace tunehub::th
