// The CPU of this process, as a target and with its limits for kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/row/target.h"

namespace tunehub::kernels {

// The micro-architecture levels of the x86-64 psABI. Here, v4 includes VNNI and BF16. A v4 CPU
// without them counts as v3.
enum class Isa { kV2, kV3, kV4 };

std::string_view NameOf(Isa isa);  // "x86-64-v3"

// The best build of the kernels that this CPU can run. Absent if the CPU lacks SSE4.2.
std::optional<Isa> BestIsa();
bool Runs(Isa isa);

// This CPU as a target: core::kCpuPrefix with the ISA, and the number of cores that affinity and
// cgroup quota allow this process. Precondition: BestIsa() has a value.
core::Target ThisCpu();

int UsableCores();
// The size of the largest cache that a core can use; 32 MiB if the system does not report it.
std::size_t LastLevelCacheBytes();

}  // namespace tunehub::kernels
