// The AMD kernels as the emulator runs them: the device's source, compiled for this CPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/amd/plan.h"
#include "tests/amd/emu/launch.h"

namespace tunehub::kernels::emu {

struct Function {
  std::string_view name;
  amd::Arch arch;
  int threads;
  int lds_bytes;
  void (*run)(const void* arguments, char* lds);  // each lane executes this
};

// The functions of one file of kernels/amd, for all architectures.
std::vector<Function> FunctionsOf(std::string_view file);

// Errors: unknown_function, and the errors of Launch.
std::optional<core::Error> Run(const amd::PlannedLaunch& launch, amd::Arch arch,
                               const Memory& memory, const LaunchOptions& options = {});

}  // namespace tunehub::kernels::emu
