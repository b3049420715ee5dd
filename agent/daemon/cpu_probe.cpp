#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

#include "agent/daemon/probe.h"
#include "core/row/cell.h"

namespace tunehub::agent::daemon {
namespace {

namespace fs = std::filesystem;

struct Ticks {
  std::uint64_t busy = 0, all = 0;  // of the processors together
  int cores = 0;
};

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests are in user. Steal
// is nobody's work on this system. The first line is the sum of all; of `cpus` the
// lines are added.
std::optional<Ticks> ReadTicks(const fs::path& root, const std::vector<int>& cpus) {
  std::ifstream file(root / "proc/stat");
  Ticks ticks;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0;
    if (!(fields >> name >> user >> nice >> system >> idle >> wait >> irq >> softirq)) break;
    const auto number = core::ParseInt(std::string_view(name).substr(3));  // of the sum: none
    if (number && !cpus.empty() && std::ranges::count(cpus, *number) == 0) continue;
    if (number) ++ticks.cores;
    if (number.has_value() == cpus.empty()) continue;
    ticks.busy += user + nice + system + irq + softirq;
    ticks.all += user + nice + system + irq + softirq + idle + wait;
  }
  if (ticks.cores == 0) return std::nullopt;
  return ticks;
}

// utime, stime and, of children that were waited for, cutime and cstime: fields 14 to 17, behind a
// name in brackets that may itself hold blanks and brackets.
std::uint64_t TicksOf(const fs::path& root, pid_t pid, bool with_children) {
  if (pid <= 0) return 0;
  std::ifstream file(root / "proc" / std::to_string(pid) / "stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(text.substr(bracket + 1));
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
      return fmt::format("only {} MiB of memory are free", *memory >> 20);
    }
    const auto now = ReadTicks(root_, cpus_);
    if (!now) return "";  // no such system: nothing can be said
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
      last_answer_ = fmt::format("others keep {:.1f} processors busy", others / elapsed);
    return last_answer_;
  }

 private:
  // A processor's time is counted in hundredths of a second; over fewer than these one tick, ours
  // or theirs, would decide.
  static constexpr double kLeastTicks = 40;

  fs::path root_;
  std::vector<int> cpus_;
  Ticks last_;
  std::uint64_t last_own_ = 0;
  std::string last_answer_;
};

}  // namespace

std::unique_ptr<Probe> CpuProbe(const fs::path& root, std::vector<int> cpus) {
  return std::make_unique<Cpu>(root, std::move(cpus));
}

}  // namespace tunehub::agent::daemon
