// Launches of tunehub's own kernels for one layer, on the current GPU.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>

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

// tunehub's own kernels that a layer can launch, by name: found once per M, then remembered.
class Choices {
 public:
  // `kernels` must outlive the object. The M of `problem` is ignored.
  Choices(kernels::Problem problem, kernels::gpu::DeviceProperties device,
          const kernels::gpu::KernelSet& kernels);

  // A candidate at m. Candidates of an M that a lookup pads m to are among them. Errors:
  // unknown_kernel, with name and shape.
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
  std::set<std::string> names_;  // of defaults; never dropped
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

class Launcher {
 public:
  // Errors: unsupported_family, unsupported_shape (tunehub has no kernel for it); wrong_arch (this
  // build has none for the target).
  static core::Result<std::shared_ptr<Launcher>> Make(const core::Family& family,
                                                      const core::Target& target,
                                                      const core::FamilyShape& shape);
  Launcher(const core::Target& target, const kernels::Problem& problem,
           const kernels::gpu::KernelSet& kernels);

  Choices& choices() { return choices_; }
  // Errors: those of Choices::Find; null_argument, bad_argument (an address that is not aligned),
  // workspace_too_small; wrong_device (the current GPU is of another target), those of the driver.
  core::Status Launch(const LaunchRequest& request);

 private:
  core::Status CheckAddresses(const LaunchRequest& request, std::size_t workspace_bytes) const;

  const core::Target target_;
  Choices choices_;
};

class Gpu {
 public:
  Gpu(const kernels::gpu::Driver& driver, kernels::gpu::DeviceProperties device);

  const kernels::gpu::Driver& driver() const { return driver_; }
  const kernels::gpu::DeviceProperties& device() const { return device_; }

  // Puts the launches into the stream, without another thread's between them; loads their code the
  // first time. Any thread may call it whose current GPU this is. Errors: those of Modules::Run.
  core::Status Run(const kernels::gpu::Launches& launches, hipStream_t stream);

 private:
  const kernels::gpu::Driver& driver_;
  const kernels::gpu::DeviceProperties device_;
  std::mutex mutex_;  // of modules_
  kernels::gpu::Modules modules_;
};

// The calling thread's current GPU; the object lives as long as the process. Errors: those of
// ThisDriver, CurrentDevice and DescribeDevice.
core::Result<Gpu*> CurrentGpu();

}  // namespace tunehub::th
