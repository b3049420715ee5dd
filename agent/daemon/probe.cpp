#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "agent/daemon/idle_pace.h"
#include "agent/device/this_device.h"
#include "core/row/cell.h"
#include "kernels/gpu/nvml.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// With less free memory, the device counts as busy. The tuner copies a problem's operands for cache
// rotation, and these copies must not take memory that a server needs.
constexpr std::uint64_t kLeastFreeMemory = std::uint64_t{1} << 30;
// The device is busy if other processes use more of the host's processors, or of a GPU.
constexpr double kBusyCores = 0.25;
constexpr int kBusyPercent = 5;

// A process's stat fields from the third on, after the name in brackets, which may contain blanks
// and brackets. Empty: no such process.
std::istringstream StatFields(const fs::path& root, pid_t pid) {
  std::ifstream file(root / "proc" / std::to_string(pid) / "stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = text.rfind(')');
  return std::istringstream(bracket == std::string::npos ? "" : text.substr(bracket + 1));
}

pid_t ParentOf(const fs::path& root, pid_t pid) {
  std::istringstream fields = StatFields(root, pid);
  std::string state;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

// True if the process is the agent, its worker, or a descendant of these, by `root`/proc.
bool IsOurs(const fs::path& root, pid_t pid, const OwnWork& own) {
  constexpr int kMostGenerations = 16;
  for (int i = 0; i < kMostGenerations && pid > 1; ++i) {
    if (pid == own.agent || pid == own.worker) return true;
    pid = ParentOf(root, pid);
  }
  return false;
}

template <typename T>
std::optional<T> ReadNumber(const fs::path& path) {
  std::ifstream file(path);
  T value{};
  if (!(file >> value)) return std::nullopt;
  return value;
}

// The kernel driver's id of the GPU at the address; "" if it lists no GPU there.
std::string GpuId(const fs::path& root, const std::string& address) {
  std::error_code error;
  for (const auto& node :
       fs::directory_iterator(root / "sys/class/kfd/kfd/topology/nodes", error)) {
    if (PciAddressOf(node.path()) != address) continue;
    if (const auto id = ReadNumber<std::uint64_t>(node.path() / "gpu_id")) {
      return std::to_string(*id);
    }
  }
  return "";
}

// Why a GPU's load or memory makes it busy; "": it is idle.
std::string WhyBusy(int busy_percent, std::uint64_t free) {
  if (busy_percent > kBusyPercent) return fmt::format("the GPU is {} % busy", busy_percent);
  if (free >= kLeastFreeMemory) return "";
  return fmt::format("only {} MiB of the GPU's memory is free", free >> 20);
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
    if (own.worker != 0) return "";  // load and memory are our own
    for (const auto& entry : fs::directory_iterator(root_ / "sys/class/drm", error)) {
      const fs::path device = entry.path() / "device";
      if (!IsHere(device)) continue;
      const auto busy = ReadNumber<int>(device / "gpu_busy_percent");
      if (!busy) continue;  // a connector, or another maker's card
      const auto total = ReadNumber<std::uint64_t>(device / "mem_info_vram_total");
      const auto used = ReadNumber<std::uint64_t>(device / "mem_info_vram_used");
      const std::uint64_t free = total && used ? *total - std::min(*total, *used) : ~0ULL;
      if (const std::string why = WhyBusy(*busy, free); !why.empty()) return why;
    }
    return "";
  }

 private:
  // A runtime opens every visible GPU. The driver reports each process's memory per GPU. Without
  // that file, the process counts as a user of the GPU.
  bool Uses(const fs::path& process) const {
    if (gpu_id_.empty()) return true;
    const auto bytes = ReadNumber<std::uint64_t>(process / ("vram_" + gpu_id_));
    return !bytes || *bytes > 0;
  }
  // A card's folder links to the folder of its address.
  bool IsHere(const fs::path& device) const {
    if (address_.empty()) return true;
    std::error_code error;
    const fs::path real = fs::canonical(device, error);
    return error || real.filename() == address_;
  }

  fs::path root_;
  std::string address_, gpu_id_;
};

struct Ticks {
  std::uint64_t busy = 0, all = 0;  // ticks of all processors together
  int cores = 0;
};

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; user includes guests.
// Steal is not work of this system. Without `cpus`, reads the first line, the sum of all
// processors. With `cpus`, adds the lines of these processors.
std::optional<Ticks> ReadTicks(const fs::path& root, const std::vector<int>& cpus) {
  std::ifstream file(root / "proc/stat");
  Ticks ticks;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0;
    if (!(fields >> name >> user >> nice >> system >> idle >> wait >> irq >> softirq)) break;
    // the line with the sum has no number
    const auto number = core::ParseInt(std::string_view(name).substr(3));
    if (number && !cpus.empty() && std::ranges::count(cpus, *number) == 0) continue;
    if (number) ++ticks.cores;
    if (number.has_value() == cpus.empty()) continue;
    ticks.busy += user + nice + system + irq + softirq;
    ticks.all += user + nice + system + irq + softirq + idle + wait;
  }
  if (ticks.cores == 0) return std::nullopt;
  return ticks;
}

// utime, stime and, for waited children, cutime and cstime: fields 14 to 17.
std::uint64_t TicksOf(const fs::path& root, pid_t pid, bool with_children) {
  if (pid <= 0) return 0;
  std::istringstream fields = StatFields(root, pid);
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  std::uint64_t user = 0, system = 0, child_user = 0, child_system = 0;
  fields >> user >> system >> child_user >> child_system;
  return user + system + (with_children ? child_user + child_system : 0);
}

std::optional<std::uint64_t> AvailableMemory(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t kib = 0;
    if (fields >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return std::nullopt;
}

class Cpu : public Probe {
 public:
  Cpu(fs::path root, std::vector<int> cpus) : root_(std::move(root)), cpus_(std::move(cpus)) {}

  std::string Busy(const OwnWork& own) override {
    const auto memory = AvailableMemory(root_);
    if (memory && *memory < kLeastFreeMemory) {
      return fmt::format("only {} MiB of memory is free", *memory >> 20);
    }
    const auto now = ReadTicks(root_, cpus_);
    if (!now) return "";  // no /proc/stat, so the load is unknown
    const std::uint64_t own_now =
        TicksOf(root_, own.agent, true) + TicksOf(root_, own.worker, false);
    const bool first = last_.all == 0;
    const auto grown = [](std::uint64_t a, std::uint64_t b) {
      return a > b ? static_cast<double>(a - b) : 0.0;
    };
    const double elapsed = grown(now->all, last_.all) / now->cores;
    const double others = grown(now->busy, last_.busy) - grown(own_now, last_own_);
    if (!first && elapsed < kLeastTicks) return last_answer_;
    last_ = *now;
    last_own_ = own_now;
    last_answer_.clear();
    if (!first && others > kBusyCores * elapsed)
      last_answer_ = fmt::format("other processes keep {:.1f} processors busy", others / elapsed);
    return last_answer_;
  }

 private:
  // The kernel counts processor time in 1/100 s. With fewer ticks, a single tick would decide.
  static constexpr double kLeastTicks = 40;

  fs::path root_;
  std::vector<int> cpus_;
  Ticks last_;
  std::uint64_t last_own_ = 0;
  std::string last_answer_;
};

class Nvidia : public Probe {
 public:
  Nvidia(int index, const std::string& address) : nvml_(kernels::gpu::Nvml::Open(index, address)) {}

  std::string Busy(const OwnWork& own) override {
    if (!nvml_.ok())
      return "cannot find out if other processes use the GPU: " + nvml_.error().detail;
    for (const int pid : nvml_->Processes()) {
      if (!IsOurs("/", pid, own)) return fmt::format("process {} uses the GPU", pid);
    }
    if (own.worker != 0) return "";  // load and memory are our own
    return WhyBusy(nvml_->BusyPercent(), nvml_->FreeBytes());
  }

 private:
  core::Result<kernels::gpu::Nvml> nvml_;
};

}  // namespace

std::unique_ptr<Probe> AmdProbe(const fs::path& root, const std::string& address) {
  return std::make_unique<Amd>(root, address);
}

std::unique_ptr<Probe> CpuProbe(const fs::path& root, std::vector<int> cpus) {
  return std::make_unique<Cpu>(root, std::move(cpus));
}

std::unique_ptr<Probe> NvidiaProbe(int index, const std::string& address) {
  return std::make_unique<Nvidia>(index, address);
}

}  // namespace tunehub::agent
