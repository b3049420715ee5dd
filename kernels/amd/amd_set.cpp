#include "kernels/amd/amd_set.h"

#include <algorithm>
#include <utility>

#include "kernels/amd/catalog.h"
#include "kernels/amd/objects.h"
#include "kernels/amd/plan.h"

namespace tunehub::kernels::amd {
namespace {

bool HasObjects(Arch arch) {
  return std::ranges::count(EmbeddedObjects(), arch, &EmbeddedObject::arch) > 0;
}

// Returns nullopt if this program contains no code for the device.
std::optional<Arch> ServedArch(const gpu::DeviceProperties& device) {
  const auto arch = ArchOf(device.target.gfx);
  const bool served = device.api == gpu::Api::kHip && arch && HasObjects(*arch);
  return served ? arch : std::nullopt;
}

gpu::Launch InCode(PlannedLaunch planned, Arch arch) {
  const auto object = ObjectOf(planned.file, arch);
  gpu::Launch launch;
  launch.code = {reinterpret_cast<const char*>(object.data()), object.size()};
  launch.function = std::move(planned.function);
  std::ranges::copy(planned.grid, launch.grid);
  launch.block[0] = planned.block;
  launch.shared_bytes = planned.dynamic_shared;
  launch.arguments = std::move(planned.arguments);
  return launch;
}

}  // namespace

bool AmdSet::Serves(const gpu::DeviceProperties& device) const {
  return ServedArch(device).has_value();
}

std::string AmdSet::Chips() const {
  std::string names;
  for (const Arch arch : kArchs) {
    if (HasObjects(arch)) names += (names.empty() ? "" : ", ") + std::string(NameOf(arch));
  }
  if (!names.empty()) return names;
  return "none of AMD's, because the build found no hipcc, amdclang++, clang++-22 or clang++-19";
}

std::vector<std::string> AmdSet::Names(std::string_view family,
                                       const gpu::DeviceProperties& device) const {
  std::vector<std::string> names;
  const auto arch = ServedArch(device);
  if (!arch) return names;
  for (const auto& [id, config] : Instances(family, *arch)) {
    names.push_back(KernelName(family, config));
  }
  return names;
}

Problem AmdSet::InEncoding(const Problem& problem, const gpu::DeviceProperties& device) const {
  const auto arch = ServedArch(device);
  if (!arch || problem.scaling != Scaling::kBlock128) return problem;
  return InEncodingOf(*arch, problem);
}

std::vector<Candidate> AmdSet::Candidates(const Problem& problem,
                                          const gpu::DeviceProperties& device) const {
  const auto arch = ServedArch(device);
  if (!arch) return {};
  return amd::Candidates(problem, *arch, device.target.cu_num);
}

std::size_t AmdSet::WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                                   const gpu::DeviceProperties& device) const {
  const auto arch = ServedArch(device);
  if (!arch) return 0;
  const auto bytes = amd::WorkspaceBytes(problem, *arch, candidate);
  return bytes.ok() ? *bytes : 0;
}

core::Result<gpu::Launches> AmdSet::Plan(const Problem& problem, const Candidate& candidate,
                                         const gpu::DeviceProperties& device,
                                         const gpu::Driver& /*driver*/,
                                         const gpu::Addresses& at) const {
  const auto arch = ServedArch(device);
  if (!arch) return gpu::NoKernelsFor(device, {this});
  const Buffers buffers = {at.a,
                           at.w,
                           static_cast<const float*>(at.a_scale),
                           static_cast<const float*>(at.w_scale),
                           at.out,
                           at.workspace};
  auto planned = PlanOf(problem, *arch, device.target.cu_num, candidate, buffers);
  if (!planned.ok()) return planned.error();
  gpu::Launches launches;
  for (PlannedLaunch& launch : *planned) launches.push_back(InCode(std::move(launch), *arch));
  return launches;
}

}  // namespace tunehub::kernels::amd
