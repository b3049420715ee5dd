#include "agent/device/this_device.h"

#include <fmt/core.h>
#include <sched.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "kernels/device.h"

namespace tunehub::agent {
namespace {

core::Error Bad(const std::string& detail) {
  return {"bad_arguments", "--cpus " + detail};
}

// The time limit of the worker's answer. A GPU driver may take seconds to start after a boot.
constexpr std::chrono::seconds kAskForDevice{60};

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::uint64_t MemoryBytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  if (!(file >> name >> kib) || name != "MemTotal:") return 0;
  std::uint64_t bytes = kib * 1024, limit = 0;
  std::ifstream quota("/sys/fs/cgroup/memory.max");  // "max": no limit
  if (quota >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

}  // namespace

std::string OwnProgram() {
  constexpr char kSelf[] = "/proc/self/exe";
  std::error_code error;
  const auto path = std::filesystem::read_symlink(kSelf, error);
  if (error) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel returns an address as a number
    const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    return std::filesystem::absolute(name, error).string();
  }
  // For a deleted file, the kernel appends " (deleted)" to the path.
  return std::filesystem::equivalent(path, kSelf, error) ? path.string() : kSelf;
}

core::Result<std::vector<int>> ReadCpuList(std::string_view text) {
  std::set<int> cpus;
  for (const std::string_view part : core::SplitAt(text, ",")) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = core::ParseInt(part.substr(0, dash));
    const auto last = dash == part.size() ? first : core::ParseInt(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= CPU_SETSIZE) {
      return Bad(fmt::format("{}: '{}': expected a processor's number, or a range such as 0-3",
                             text, part));
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return std::vector<int>(cpus.begin(), cpus.end());
}

std::string CpuListText(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += fmt::format("-{}", cpus[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> UsableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

core::Status PinTo(const std::vector<int>& cpus) {
  const std::vector<int> usable = UsableCpus();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    // sched_setaffinity ignores processors that are not usable.
    if (!std::ranges::binary_search(usable, cpu)) {
      return Bad(fmt::format("{}: this process may not use processor {}; it may use {}",
                             CpuListText(cpus), cpu, CpuListText(usable)));
    }
    CPU_SET(cpu, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return core::Ok();
  return Bad(CpuListText(cpus) + ": " + std::generic_category().message(errno));
}

core::Result<DeviceInfo> ThisCpuDevice() {
  const auto isa = kernels::BestIsa();
  if (!isa) {
    return core::Error{kNoDevice, "this CPU is too old: the kernels need x86-64-v2 or newer"};
  }
  const core::Target target = kernels::ThisCpu();
  return DeviceInfo{"cpu",
                    CpuName(),
                    std::string(kernels::NameOf(*isa)),
                    core::Target{target.gfx, target.cu_num},
                    MemoryBytes(),
                    -1,
                    "",
                    "",
                    "cpu:" + CpuListText(UsableCpus())};
}

core::Result<DeviceInfo> GpuDevice(const Configuration& configuration, const std::string& program,
                                   int index) {
  DeviceInfo device;
  device.gpu = index;
  WorkerProcess worker(WorkerFor(configuration, program, device).command);
  const auto answer = worker.Ask({{"do", "device"}}, kAskForDevice);
  if (!answer.ok()) return core::Error{kNoDevice, answer.error().detail};
  if (answer->contains("failed")) {
    return core::Error{kNoDevice, answer->value("detail", std::string())};
  }
  device.kind = answer->value("kind", "");
  device.name = answer->value("name", "");
  device.isa = answer->value("gfx", "");
  device.target = {device.isa, answer->value("cu_num", 0)};
  device.memory_bytes = answer->value("memory", std::uint64_t{0});
  device.driver = answer->value("driver", "");
  device.clocks = answer->value("clocks", "");
  device.address = answer->value("address", "");
  device.pci_id = answer->value("pci_id", "");
  device.power_limit = answer->value("power_limit", 0.0);
  if (device.address.empty()) device.address = fmt::format("gpu:{}", index);
  ReadGpuFacts("/", device);
  return device;
}

core::Result<DeviceOption> ReadDeviceOption(const std::string& text) {
  for (const char* kind : {kAutoDevice, kCpuDevice, kGpuDevice}) {
    if (text == kind) return DeviceOption{kind, 0};
  }
  const std::string prefix = std::string(kGpuDevice) + ":";
  const auto index =
      text.starts_with(prefix) ? core::ParseInt(text.substr(prefix.size())) : std::optional<int>();
  if (index && *index >= 0) return DeviceOption{kGpuDevice, *index};
  return core::Error{"bad_arguments",
                     fmt::format("--device {}: expected auto, cpu, gpu or gpu:INDEX", text)};
}

core::Result<ChosenDevice> ChooseDevice(const Configuration& configuration,
                                        const std::string& program, const DeviceOption& option) {
  std::string no_gpu;
  const bool by_name = option.kind == kGpuDevice;
  if (by_name || (option.kind == kAutoDevice && program.empty())) {
    auto gpu = GpuDevice(configuration, program, option.index);
    if (gpu.ok()) return ChosenDevice{*std::move(gpu), ""};
    if (by_name) return gpu.error();
    no_gpu = gpu.error().detail;
  }
  auto cpu = ThisCpuDevice();
  if (!cpu.ok()) return cpu.error();
  return ChosenDevice{*std::move(cpu), no_gpu};
}

WorkerOptions WorkerFor(const Configuration& configuration, const std::string& program,
                        const DeviceInfo& device) {
  WorkerOptions options;
  options.command = {program};
  if (program.empty()) options.command = {OwnProgram(), "worker"};
  options.command.push_back(configuration.folder.string());
  if (device.gpu >= 0) {
    options.command.insert(options.command.end(), {"gpu", std::to_string(device.gpu)});
  }
  return options;
}

}  // namespace tunehub::agent
