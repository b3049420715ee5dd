#include "tests/amd/emu/instances.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tests/amd/emu/tables.h"

namespace tunehub::kernels::emu {
namespace {

struct File {
  std::string_view name;
  std::vector<Function> (*functions)();
};
constexpr std::array<File, 6> kFiles = {{
    {"a8w8", FunctionsOfA8w8},
    {"a8w8_blockscale", FunctionsOfA8w8Blockscale},
    {"a8w8_fp8", FunctionsOfA8w8Fp8},
    {"batched_a8w8", FunctionsOfBatchedA8w8},
    {"batched_bf16", FunctionsOfBatchedBf16},
    {"bf16", FunctionsOfBf16},
}};

}  // namespace

std::vector<Function> FunctionsOf(std::string_view file) {
  for (const auto& each : kFiles) {
    if (each.name == file) return each.functions();
  }
  return {};
}

std::optional<core::Error> Run(const amd::PlannedLaunch& launch, amd::Arch arch,
                               const Memory& memory, const LaunchOptions& options) {
  const auto functions = FunctionsOf(launch.file);
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const Function& each) {
    return each.arch == arch && each.name == launch.function;
  });
  if (found == functions.end()) {
    return core::Error{"unknown_function",
                       fmt::format("{} is not among the functions of {} for {}", launch.function,
                                   launch.file, amd::NameOf(arch))};
  }
  const Grid grid = {static_cast<int>(launch.grid[0]), static_cast<int>(launch.grid[1]),
                     static_cast<int>(launch.grid[2])};
  return Launch(
      grid, static_cast<int>(launch.block), found->lds_bytes, memory,
      [&](char* lds) { found->run(launch.arguments.data(), lds); }, options);
}

}  // namespace tunehub::kernels::emu
