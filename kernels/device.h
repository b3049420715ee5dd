// The CPU of this process, as a target and with its limits for kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/row/target.h"

namespace tunehub::kernels {

// The micro-architecture levels of the x86-64 psABI. Here v4 includes VNNI and BF16; a CPU without
// these counts as v3.
enum class Isa { kV2, kV3, kV4 };

std::string_view NameOf(Isa isa);  // "x86-64-v3"

// The best build of the kernels that this CPU can run; absent if the CPU is older than SSE4.2.
std::optional<Isa> BestIsa();
bool Runs(Isa isa);

// This CPU as a target: core::kCpuPrefix with the ISA, and the number of cores that affinity and
// cgroup quota leave to this process. Precondition: BestIsa() has a value.
core::Target ThisCpu();

int UsableCores();
// The size of the largest cache that a core can use; 32 MiB if the system does not say it.
std::size_t LastLevelCacheBytes();

}  // namespace tunehub::kernels
