#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>
#include <vector>

#include "agent/tuning/device/gpu_facts.h"
#include "agent/tuning/device/this_device.h"
#include "core/base/hex.h"
#include "core/row/cell.h"

namespace tunehub::agent::tuning {
namespace {

namespace fs = std::filesystem;

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

std::string PciAddressOf(const fs::path& node) {
  auto properties = ReadProperties(node / "properties");
  const auto place = properties.find("location_id");
  if (place == properties.end()) return "";
  // As PCI packs them: eight bits of the bus, five of the device, three of the function.
  const auto location = static_cast<unsigned>(place->second);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", static_cast<unsigned>(properties["domain"]),
                     location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7);
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
    std::ifstream name(folder / "name");
    std::getline(name, device.name);
    device.isa = GfxName(version);
    device.target = {device.isa, static_cast<int>(value("simd_count") / simds)};
    device.memory_bytes = ReadProperties(folder / "mem_banks/0/properties")["size_in_bytes"];
    ReadGpuFacts(root, device);
    return device;
  }
  if (number > 0) {
    return core::Error{kNoDevice, fmt::format("{} lists no GPU number {}, only {}", nodes.string(),
                                              index, number)};
  }
  return core::Error{kNoDevice, nodes.string() + " lists no GPU: no AMD GPU, or no driver for it"};
}

}  // namespace tunehub::agent::tuning
