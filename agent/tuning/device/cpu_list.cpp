#include "agent/tuning/device/cpu_list.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "core/base/split.h"
#include "core/row/cell.h"

namespace tunehub::agent::tuning {
namespace {

core::Error Bad(const std::string& detail) {
  return {"bad_arguments", "--cpus " + detail};
}

}  // namespace

core::Result<std::vector<int>> ReadCpuList(std::string_view text) {
  std::set<int> cpus;
  for (const std::string_view part : core::SplitAt(text, ",")) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = core::ParseInt(part.substr(0, dash));
    const auto last = dash == part.size() ? first : core::ParseInt(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= CPU_SETSIZE) {
      return Bad(fmt::format("{}: '{}' is no processor and no range such as 0-3", text, part));
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
    // The kernel would pass over it in silence.
    if (!std::ranges::binary_search(usable, cpu)) {
      return Bad(fmt::format("{}: this process may not use processor {}, only {}",
                             CpuListText(cpus), cpu, CpuListText(usable)));
    }
    CPU_SET(cpu, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return core::Ok();
  return Bad(CpuListText(cpus) + ": " + std::generic_category().message(errno));
}

}  // namespace tunehub::agent::tuning
