#include "agent/tuning/device/gpu_facts.h"

#include <fmt/core.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "core/row/cell.h"

namespace tunehub::agent::tuning {
namespace {

namespace fs = std::filesystem;

constexpr double kMicrowatts = 1e6;  // of a watt

std::string Word(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

// The folder of a PCI function, or of its card's function 0; empty: neither is there.
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

}  // namespace tunehub::agent::tuning
