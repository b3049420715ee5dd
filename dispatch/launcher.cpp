#include "dispatch/launcher.h"

#include <fmt/core.h>

#include <string>

#include "dispatch/failure.h"
#include "dispatch/gpus.h"
#include "kernels/gpu/this_gpu.h"
#include "kernels/sets/gpu_sets.h"

namespace tunehub::th {
namespace {

using core::Error;

constexpr std::uintptr_t kAlignment = 16;  // what vector loads and copy engines want of an address

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
               fmt::format("{} is not aligned to {} bytes", address.name, kAlignment)};
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
                 fmt::format("the workspace has {} bytes, the launch needs {}",
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

core::Status Launcher::Launch(const LaunchRequest& request) {
  const auto choice = choices_.Find(request.m, request.kernel_name, request.split_k);
  if (!choice.ok()) return choice.error();
  if (auto status = CheckAddresses(request, choice->workspace_bytes); !status.ok()) return status;
  const auto gpu = CurrentGpu();
  if (!gpu.ok()) return gpu.error();
  const auto& device = (*gpu)->device();
  if (device.target.gfx != target_.gfx || device.target.cu_num != target_.cu_num) {
    return Error{"wrong_device", fmt::format("the layer is for {}, the current GPU is {}",
                                             Text(target_.gfx, target_.cu_num),
                                             Text(device.target.gfx, device.target.cu_num))};
  }
  const th_operands& operands = request.operands;
  const auto address = [](const void* at) { return const_cast<void*>(at); };
  const kernels::gpu::Addresses addresses = {address(operands.a), address(operands.a_scale),
                                             address(operands.w), address(operands.w_scale),
                                             operands.out,        request.workspace};
  const auto launches = choices_.kernels().Plan(choices_.ProblemAt(request.m), choice->candidate,
                                                device, (*gpu)->driver(), addresses);
  if (!launches.ok()) return launches.error();
  return (*gpu)->Run(*launches, static_cast<hipStream_t>(request.stream));
}

}  // namespace tunehub::th
