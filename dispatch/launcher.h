// Launches of tunehub's own kernels for one layer, on the current GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "dispatch/choices.h"
#include "dispatch/tunehub_dispatch.h"

namespace tunehub::th {

// What th_launch is asked for.
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
  // Errors: unsupported_family, unsupported_shape (tunehub has no kernel
  // for it); wrong_arch (nor for the target, in this build).
  static core::Result<std::shared_ptr<Launcher>> Make(const core::Family& family,
                                                      const core::Target& target,
                                                      const core::FamilyShape& shape);
  Launcher(const core::Target& target, const kernels::Problem& problem,
           const kernels::gpu::KernelSet& kernels);

  Choices& choices() { return choices_; }
  // Errors: those of Choices::Find; null_argument, bad_argument (an address that is not aligned),
  // workspace_too_small; wrong_device (the current one is no such target), those of the driver.
  core::Status Launch(const LaunchRequest& request);

 private:
  core::Status CheckAddresses(const LaunchRequest& request, std::size_t workspace_bytes) const;

  const core::Target target_;
  Choices choices_;
};

}  // namespace tunehub::th
