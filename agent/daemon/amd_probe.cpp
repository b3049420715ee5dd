#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include "agent/daemon/own_process.h"
#include "agent/daemon/probe.h"

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

class Amd : public Probe {
 public:
  explicit Amd(fs::path root) : root_(std::move(root)) {}

  std::string Busy(const OwnWork& own) override {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root_ / "sys/class/kfd/kfd/proc", error)) {
      const std::string name = entry.path().filename().string();
      pid_t pid = 0;
      std::from_chars(name.data(), name.data() + name.size(), pid);
      if (pid > 0 && !IsOurs(root_, pid, own)) {
        return "process " + name + " uses the GPU";
      }
    }
    for (const auto& entry : fs::directory_iterator(root_ / "sys/class/drm", error)) {
      const fs::path device = entry.path() / "device";
      const auto busy = ReadNumber<int>(device / "gpu_busy_percent");
      if (!busy) continue;  // a connector, or another maker's card
      if (own.worker == 0 && *busy > kBusyPercent) {
        return "the GPU is " + std::to_string(*busy) + " % busy";
      }
      const auto total = ReadNumber<std::uint64_t>(device / "mem_info_vram_total");
      const auto used = ReadNumber<std::uint64_t>(device / "mem_info_vram_used");
      const std::uint64_t free = total && used ? *total - std::min(*total, *used) : ~0ULL;
      if (own.worker == 0 && free < kLeastFreeMemory) {
        return "only " + std::to_string(free >> 20) + " MiB of the GPU's memory are free";
      }
    }
    return "";
  }

 private:
  fs::path root_;
};

}  // namespace

std::unique_ptr<Probe> AmdProbe(const fs::path& root) {
  return std::make_unique<Amd>(root);
}

}  // namespace tunehub::agent::daemon
