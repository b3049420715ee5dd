#include "agent/commands/tuning/selftest_report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace tunehub::agent::tuning {

nlohmann::ordered_json ToJson(const FamilyReport& report) {
  nlohmann::ordered_json json = {{"family", report.family},      {"kernels", report.kernels()},
                                 {"runs", report.runs},          {"ok", report.ok},
                                 {"wrong", report.wrong},        {"failed", report.failed},
                                 {"not_valid", report.not_valid}};
  json["faults"] = nlohmann::ordered_json::array();
  for (const Fault& fault : report.faults) {
    json["faults"].push_back({{"kernel", fault.kernel},
                              {"candidate", fault.candidate},
                              {"shape", fault.shape},
                              {"status", Name(fault.outcome)},
                              {"reason", fault.reason}});
  }
  return json;
}

void PrintDevice(std::ostream& out, const DeviceInfo& device) {
  out << "device: " << (device.name.empty() ? device.kind : device.name) << ", "
      << device.target.gfx << " with " << device.target.cu_num
      << (device.gpu < 0 ? " cores" : " compute units");
  if (!device.driver.empty()) out << ", driver " << device.driver;
  out << '\n';
}

void Print(std::ostream& out, const FamilyReport& report) {
  out << report.family << ": " << report.kernels() << " kernels in " << report.runs
      << " runs: " << report.ok << " ok, " << report.wrong << " wrong, " << report.failed
      << " failed, " << report.not_valid << " not valid here\n";
  std::map<std::string, std::size_t> runs;
  for (const Fault& fault : report.faults) ++runs[fault.kernel];
  for (const Fault& fault : report.faults) {
    const std::size_t count = std::exchange(runs[fault.kernel], 0);
    if (count == 0) continue;  // the kernel has its line
    out << "  " << Name(fault.outcome) << ": ";
    if (!fault.kernel.empty()) {
      out << fault.kernel;
      if (const long split = SplitK(fault.candidate); split > 0) out << " splitK=" << split;
      out << " on " << TextOf(fault.shape) << ": ";
    }
    out << fault.reason;
    if (count > 1) out << " (and " << count - 1 << " more of its runs)";
    out << '\n';
  }
}

}  // namespace tunehub::agent::tuning
