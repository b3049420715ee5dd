// The CPU of this process, as a target and with its limits for kernels.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/row/target.h"

namespace tunehub::kernels {

// The micro-architecture levels of the x86-64 psABI. Here v4 means also VNNI and BF16; a CPU
// without them counts as v3.
enum class Isa { kV2, kV3, kV4 };

std::string_view NameOf(Isa isa);  // "x86-64-v3"

// The best build of the kernels that this CPU runs; absent on a CPU older than SSE4.2.
std::optional<Isa> BestIsa();
bool Runs(Isa isa);

// This CPU as a target: core::kCpuPrefix and the ISA, and the cores that this process may use, by
// affinity and cgroup quota. Precondition: BestIsa().
core::Target ThisCpu();

int UsableCores();
// The largest cache that a core reaches; 32 MiB if the system does not say.
std::size_t LastLevelCacheBytes();

}  // namespace tunehub::kernels
