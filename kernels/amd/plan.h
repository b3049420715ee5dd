// Makes launches of a candidate: plain data, which a driver runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/amd/catalog.h"

namespace tunehub::kernels::amd {

// Addresses of device memory, 16-byte aligned; layouts as GemmArgs says.
struct Buffers {
  const void* a = nullptr;
  const void* w = nullptr;
  const float* a_scale = nullptr;
  const float* w_scale = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;  // WorkspaceBytes
};

struct PlannedLaunch {
  std::string_view file;  // of the code object, see ObjectOf
  std::string function;
  std::array<std::uint32_t, 3> grid;  // blocks
  std::uint32_t block = 0;            // lanes
  std::uint32_t dynamic_shared = 0;   // bytes beyond what the function declares
  std::vector<std::byte> arguments;   // GemmArgs or ReduceArgs
};

// Bytes for the sums of a split K; 0 without one. Errors: those of InstanceOf.
core::Result<std::size_t> WorkspaceBytes(const Problem& problem, Arch arch,
                                         const Candidate& candidate);

// In the order in which they run, one after the other. Errors: those of InstanceOf.
core::Result<std::vector<PlannedLaunch>> PlanOf(const Problem& problem, Arch arch, int cu_num,
                                                const Candidate& candidate, const Buffers& buffers);

}  // namespace tunehub::kernels::amd
