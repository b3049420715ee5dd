#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "agent/device/this_device.h"
#include "core/base/encoding.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kMicrowatts = 1e6;  // microwatts in a watt

std::string Word(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

// The folder of a PCI function, or of its card's function 0; empty: neither exists.
fs::path PciFolder(const fs::path& root, std::string address) {
  std::error_code error;
  const fs::path all = root / "sys/bus/pci/devices";
  if (address.find('.') == std::string::npos) return {};
  if (fs::exists(all / address, error)) return all / address;
  address.back() = '0';
  return fs::exists(all / address, error) ? all / address : fs::path();
}

// "0x1002" and "0x74a1" -> "1002:74a1".
std::string PciId(const fs::path& folder) {
  const std::string vendor = Word(folder / "vendor"), device = Word(folder / "device");
  constexpr std::string_view kHex = "0x";
  if (!vendor.starts_with(kHex) || !device.starts_with(kHex)) return "";
  return vendor.substr(kHex.size()) + ":" + device.substr(kHex.size());
}

double PowerLimit(const fs::path& folder) {
  std::error_code error;
  for (const auto& monitor : fs::directory_iterator(folder / "hwmon", error)) {
    const auto microwatts = core::ParseNumber(Word(monitor.path() / "power1_cap"));
    if (microwatts && *microwatts > 0) return *microwatts / kMicrowatts;
  }
  return 0;
}

void Take(std::string& member, std::string value) {
  if (!value.empty()) member = std::move(value);
}

// Reads lines "name value".
std::map<std::string, std::uint64_t> ReadProperties(const fs::path& path) {
  std::map<std::string, std::uint64_t> properties;
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) properties[name] = value;
  return properties;
}

// Converts 90402 to "gfx942". The number has two decimal digits each for major, minor and stepping.
// The name has minor and stepping as hexadecimal digits.
std::string GfxName(std::uint64_t version) {
  std::string name = fmt::format("gfx{}", version / 10000);
  name += core::kHexDigits[version / 100 % 100 % 16];
  name += core::kHexDigits[version % 100 % 16];
  return name;
}

}  // namespace

void ReadGpuFacts(const fs::path& root, DeviceInfo& device) {
  const fs::path folder = PciFolder(root, device.address);
  if (folder.empty()) return;
  Take(device.pci_id, PciId(folder));
  Take(device.partition, Word(folder / "current_compute_partition"));
  Take(device.memory_partition, Word(folder / "current_memory_partition"));
  if (const double watts = PowerLimit(folder); watts > 0) device.power_limit = watts;
}

const core::Device* ProductOf(const DeviceInfo& device, const core::Devices& devices) {
  for (const std::string& name : {device.pci_id, device.name}) {
    const core::Device* const found = name.empty() ? nullptr : devices.Find(name);
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::vector<std::string> DeviceMembers(const DeviceInfo& device, const core::Devices& devices) {
  const core::Device* const product = ProductOf(device, devices);
  const bool target = !device.target.gfx.empty();
  const std::pair<const char*, std::string> texts[] = {
      {"product", product == nullptr ? "" : product->product},
      {"gpu", device.name},
      {"pci_id", device.pci_id},
      {"address", device.address},
      {"gfx", device.target.gfx},
      {"cu_num", target ? std::to_string(device.target.cu_num) : ""},
      {"driver", device.driver},
      {"partition", device.partition},
      {"memory_partition", device.memory_partition},
      {"power_limit", device.power_limit > 0 ? fmt::format("{:g}", device.power_limit) : ""}};
  std::vector<std::string> members;
  for (const auto& [name, text] : texts) {
    if (!text.empty()) members.push_back(fmt::format("{}={}", name, text));
  }
  return members;
}

std::string NameOf(const DeviceInfo& device, const core::Devices& devices) {
  const core::Device* const product = ProductOf(device, devices);
  if (product == nullptr) return devices.TargetName(device.target.gfx, device.target.cu_num);
  return fmt::format("{} ({}:{})", product->product, device.target.gfx, device.target.cu_num);
}

std::string PciAddressOf(const fs::path& node) {
  auto properties = ReadProperties(node / "properties");
  const auto place = properties.find("location_id");
  if (place == properties.end()) return "";
  // PCI's packing: eight bits of bus, five of device, three of function.
  const auto location = static_cast<unsigned>(place->second);
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", static_cast<unsigned>(properties["domain"]),
                     location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7);
}

core::Result<DeviceInfo> AmdDevice(const fs::path& root, int index) {
  const fs::path nodes = root / "sys/class/kfd/kfd/topology/nodes";
  std::error_code error;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(nodes, error)) folders.push_back(entry.path());
  // Numeric order: 10 comes after 9.
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
    if (version == 0 || simds == 0) continue;  // the node of a CPU
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
    return core::Error{kNoDevice,
                       fmt::format("{} does not list GPU {}; it lists {} GPUs, counted from 0",
                                   nodes.string(), index, number)};
  }
  return core::Error{
      kNoDevice, nodes.string() + " lists no GPU: this host has no AMD GPU, or no driver for it"};
}

}  // namespace tunehub::agent
