#include "kernels/device.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "core/row/cell.h"

namespace tunehub::kernels {
namespace {

constexpr std::size_t kAssumedCacheBytes = std::size_t{32} << 20;
constexpr int kCacheLevels = 5;  // index0 to index4 of sysfs

int CoresByAffinity() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(CPU_COUNT(&cores), 1);
}

// A container's quota: "200000 100000" means two cores; "max 100000" means no quota.
std::optional<int> CoresByQuota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota, period;
  if (!(file >> quota >> period)) return std::nullopt;
  const auto used = core::ParseNumber(quota), of = core::ParseNumber(period);
  if (!used || !of || !(*used > 0) || !(*of > 0)) return std::nullopt;
  return std::max(static_cast<int>(std::ceil(*used / *of)), 1);
}

}  // namespace

std::string_view NameOf(Isa isa) {
  static constexpr std::array<std::string_view, 3> kNames = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return kNames[static_cast<std::size_t>(isa)];
}

bool Runs(Isa isa) {
  switch (isa) {
    case Isa::kV2:
      return __builtin_cpu_supports("x86-64-v2") != 0;
    case Isa::kV3:
      return __builtin_cpu_supports("x86-64-v3") != 0;
    case Isa::kV4:
      return __builtin_cpu_supports("x86-64-v4") != 0 &&
             __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bf16") != 0;
  }
  return false;
}

std::optional<Isa> BestIsa() {
  for (const Isa isa : {Isa::kV4, Isa::kV3, Isa::kV2}) {
    if (Runs(isa)) return isa;
  }
  return std::nullopt;
}

core::Target ThisCpu() {
  return {std::string(core::kCpuPrefix) + std::string(NameOf(*BestIsa())), UsableCores()};
}

int UsableCores() {
  const int cores = CoresByAffinity();
  return std::min(cores, CoresByQuota().value_or(cores));
}

std::size_t LastLevelCacheBytes() {
  std::size_t largest = 0;
  for (int i = 0; i < kCacheLevels; ++i) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", i));
    std::size_t size = 0;
    char unit = 'K';
    if (!(file >> size)) continue;
    file >> unit;
    largest = std::max(largest, size << (unit == 'M' ? 20 : 10));
  }
  return largest != 0 ? largest : kAssumedCacheBytes;
}

}  // namespace tunehub::kernels
