#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include "agent/daemon/own_process.h"
#include "agent/daemon/probe.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::daemon {
namespace {

namespace fs = std::filesystem;

template <typename T>
std::optional<T> ReadNumber(const fs::path& path) {
  std::ifstream file(path);
  T value{};
  if (!(file >> value)) return std::nullopt;
  return value;
}

// What the kernel driver calls the GPU at the address; "" where it lists none there.
std::string GpuId(const fs::path& root, const std::string& address) {
  std::error_code error;
  for (const auto& node :
       fs::directory_iterator(root / "sys/class/kfd/kfd/topology/nodes", error)) {
    if (tuning::PciAddressOf(node.path()) != address) continue;
    if (const auto id = ReadNumber<std::uint64_t>(node.path() / "gpu_id")) {
      return std::to_string(*id);
    }
  }
  return "";
}

class Amd : public Probe {
 public:
  Amd(fs::path root, std::string address)
      : root_(std::move(root)), address_(std::move(address)), gpu_id_(GpuId(root_, address_)) {}

  std::string Busy(const OwnWork& own) override {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root_ / "sys/class/kfd/kfd/proc", error)) {
      const std::string name = entry.path().filename().string();
      pid_t pid = 0;
      std::from_chars(name.data(), name.data() + name.size(), pid);
      if (pid > 0 && Uses(entry.path()) && !IsOurs(root_, pid, own)) {
        return fmt::format("process {} uses the GPU", name);
      }
    }
    for (const auto& entry : fs::directory_iterator(root_ / "sys/class/drm", error)) {
      const fs::path device = entry.path() / "device";
      if (!IsHere(device)) continue;
      const auto busy = ReadNumber<int>(device / "gpu_busy_percent");
      if (!busy) continue;  // a connector, or another maker's card
      if (own.worker == 0 && *busy > kBusyPercent) {
        return fmt::format("the GPU is {} % busy", *busy);
      }
      const auto total = ReadNumber<std::uint64_t>(device / "mem_info_vram_total");
      const auto used = ReadNumber<std::uint64_t>(device / "mem_info_vram_used");
      const std::uint64_t free = total && used ? *total - std::min(*total, *used) : ~0ULL;
      if (own.worker == 0 && free < kLeastFreeMemory) {
        return fmt::format("only {} MiB of the GPU's memory are free", free >> 20);
      }
    }
    return "";
  }

 private:
  // A runtime opens every GPU that it may see; the driver says of each process how much memory it
  // has on each. Where it says nothing, the process counts.
  bool Uses(const fs::path& process) const {
    if (gpu_id_.empty()) return true;
    const auto bytes = ReadNumber<std::uint64_t>(process / ("vram_" + gpu_id_));
    return !bytes || *bytes > 0;
  }
  // A card's folder leads to that of its address.
  bool IsHere(const fs::path& device) const {
    if (address_.empty()) return true;
    std::error_code error;
    const fs::path real = fs::canonical(device, error);
    return error || real.filename() == address_;
  }

  fs::path root_;
  std::string address_, gpu_id_;
};

}  // namespace

std::unique_ptr<Probe> AmdProbe(const fs::path& root, const std::string& address) {
  return std::make_unique<Amd>(root, address);
}

}  // namespace tunehub::agent::daemon
