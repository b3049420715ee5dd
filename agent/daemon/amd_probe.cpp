#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

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

// The parent's pid: the second field behind the name in brackets.
pid_t ParentOf(const fs::path& root, pid_t pid) {
  std::ifstream file(root / "proc" / std::to_string(pid) / "stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(text.substr(bracket + 1));
  std::string state;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

// A tuner's own children and grandchildren are ours.
bool IsOurs(const fs::path& root, pid_t pid, const OwnWork& own) {
  constexpr int kMostGenerations = 16;
  for (int i = 0; i < kMostGenerations && pid > 1; ++i) {
    if (pid == own.agent || pid == own.worker) return true;
    pid = ParentOf(root, pid);
  }
  return false;
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
