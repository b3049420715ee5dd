// Plans a candidate's launches, as plain data that a driver can run.
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

// Addresses of device memory, aligned to 16 bytes. Layouts: see GemmArgs.
struct Buffers {
  const void* a = nullptr;
  const void* w = nullptr;
  const float* a_scale = nullptr;
  const float* w_scale = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;  // WorkspaceBytes bytes
};

struct PlannedLaunch {
  std::string_view file;  // the code object's name for ObjectOf
  std::string function;
  std::array<std::uint32_t, 3> grid;  // in blocks
  std::uint32_t block = 0;            // lanes of a block
  std::uint32_t dynamic_shared = 0;   // bytes in addition to the function's own
  std::vector<std::byte> arguments;   // GemmArgs or ReduceArgs
};

// The bytes for the sums of a split K; 0 without a split. Errors: as InstanceOf.
core::Result<std::size_t> WorkspaceBytes(const Problem& problem, Arch arch,
                                         const Candidate& candidate);

// The launches, in the order in which they must run. Errors: as InstanceOf.
core::Result<std::vector<PlannedLaunch>> PlanOf(const Problem& problem, Arch arch, int cu_num,
                                                const Candidate& candidate, const Buffers& buffers);

}  // namespace tunehub::kernels::amd
