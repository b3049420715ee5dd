#include "agent/tuning/device/this_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "agent/tuning/device/cpu_list.h"
#include "core/base/hex.h"
#include "core/row/cell.h"
#include "kernels/device.h"

namespace tunehub::agent::tuning {
namespace {

namespace fs = std::filesystem;

// A driver that starts may take seconds, the first time after boot.
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
  std::ifstream quota("/sys/fs/cgroup/memory.max");  // "max" where there is none
  if (quota >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

// "name value" lines.
std::map<std::string, std::uint64_t> ReadProperties(const fs::path& path) {
  std::map<std::string, std::uint64_t> properties;
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) properties[name] = value;
  return properties;
}

// 90402 -> "gfx942": major, minor and stepping in pairs of decimal digits, the last two as hex.
std::string GfxName(std::uint64_t version) {
  std::string name = fmt::format("gfx{}", version / 10000);
  name += core::kHexDigits[version / 100 % 100 % 16];
  name += core::kHexDigits[version % 100 % 16];
  return name;
}

}  // namespace

core::Result<DeviceInfo> ThisCpuDevice() {
  const auto isa = kernels::BestIsa();
  if (!isa) {
    return core::Error{kNoDevice, "this CPU is older than x86-64-v2: no kernel runs on it"};
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

std::string PciAddressOf(const fs::path& node) {
  auto properties = ReadProperties(node / "properties");
  const auto place = properties.find("location_id");
  if (place == properties.end()) return "";
  // As PCI packs them: eight bits of the bus, five of the device, three of the function.
  const auto location = static_cast<unsigned>(place->second);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x",
                static_cast<unsigned>(properties["domain"]), location >> 8 & 0xFF,
                location >> 3 & 0x1F, location & 7);
  return text.data();
}

core::Result<DeviceInfo> AmdDevice(const fs::path& root, int index) {
  const fs::path nodes = root / "sys/class/kfd/kfd/topology/nodes";
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(nodes, error)) folders.push_back(entry.path());
  // By number: 10 comes after 9.
  std::ranges::sort(folders, {}, [](const fs::path& folder) {
    return core::ParseInt(folder.filename().string()).value_or(0);
  });
  int number = 0;
  for (const fs::path& folder : folders) {
    const auto properties = ReadProperties(folder / "properties");
    const auto value = [&](const char* name) -> std::uint64_t {
      const auto found = properties.find(name);
      return found == properties.end() ? 0 : found->second;
    };
    const std::uint64_t version = value("gfx_target_version"), simds = value("simd_per_cu");
    if (version == 0 || simds == 0) continue;  // a CPU's node
    if (number++ != index) continue;
    DeviceInfo device;
    device.kind = "amd";
    device.gpu = index;
    device.address = PciAddressOf(folder);
    if (device.address.empty()) device.address = fmt::format("gpu:{}", index);
    std::ifstream(folder / "name") >> device.name;
    device.isa = GfxName(version);
    device.target = {device.isa, static_cast<int>(value("simd_count") / simds)};
    device.memory_bytes = ReadProperties(folder / "mem_banks/0/properties")["size_in_bytes"];
    return device;
  }
  if (number > 0) {
    return core::Error{kNoDevice, fmt::format("{} lists no GPU number {}, only {}", nodes.string(),
                                              index, number)};
  }
  return core::Error{kNoDevice, nodes.string() + " lists no GPU: no AMD GPU, or no driver for it"};
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
  if (device.address.empty()) device.address = fmt::format("gpu:{}", index);
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
                     fmt::format("--device {}: none of auto, cpu, gpu and gpu:INDEX", text)};
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
  options.command = {
      program.empty() ? (ExecutableFolder() / "tunehub-agent-worker").string() : program,
      (configuration.folder / "families").string()};
  if (device.gpu >= 0) {
    options.command.insert(options.command.end(), {"gpu", std::to_string(device.gpu)});
  }
  return options;
}

}  // namespace tunehub::agent::tuning
