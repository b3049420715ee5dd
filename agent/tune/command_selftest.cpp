#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/terminal.h"
#include "agent/device/worker_device.h"
#include "agent/search/session.h"
#include "agent/tune/commands.h"
#include "kernels/cpu/catalog.h"

namespace tunehub::agent {
namespace {

constexpr char kName[] = "selftest";

struct Options {
  std::string device = kAutoDevice, configs, worker;
  std::vector<std::string> families;  // none: all
  int timeout_s = 30;
  bool json = false;
};

void PrintTested(std::ostream& out, const DeviceInfo& device) {
  out << "device: " << (device.name.empty() ? device.kind : device.name) << ", "
      << device.target.gfx << " with " << device.target.cu_num
      << (device.gpu < 0 ? " cores" : " compute units");
  if (!device.driver.empty()) out << ", driver " << device.driver;
  out << '\n';
}

nlohmann::ordered_json JsonOf(const DeviceInfo& device) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"gfx", device.target.gfx},
          {"cu_num", device.target.cu_num},
          {"driver", device.driver}};
}

// Tests the families and prints each result at once. After an error, `reports` contains the results
// so far. Errors: no_device.
core::Status TestFamilies(const Options& options, WorkerDevice& device, bool gpu, std::ostream& out,
                          std::vector<FamilyReport>& reports) {
  for (const auto family : kernels::CoveredFamilies()) {
    const auto& chosen = options.families;
    if (!chosen.empty() && std::ranges::count(chosen, family) == 0) continue;
    const auto kernels = device.Kernels(std::string(family));
    if (!kernels.ok()) return kernels.error();
    if (kernels->empty()) continue;
    FamilyReport& report = reports.emplace_back();
    report.family = family;
    const auto status = CheckFamily(device, *kernels, SelftestShapes(family, gpu),
                                    SearchOptions().error_limit, report);
    if (!options.json) Print(out, report);
    if (!status.ok()) return status;
  }
  return core::Ok();
}

// Prints the result and returns the exit code.
int Conclude(const Options& options, const DeviceInfo& device,
             const std::vector<FamilyReport>& reports, const core::Status& status,
             Console& console) {
  std::size_t kernels = 0, faulty = 0;
  bool passed = status.ok();
  nlohmann::ordered_json report = {{"device", JsonOf(device)},
                                   {"families", nlohmann::ordered_json::array()}};
  for (const FamilyReport& it : reports) {
    report["families"].push_back(ToJson(it));
    kernels += it.kernels();
    faulty += it.wrong + it.failed;
    passed = passed && it.passed();
  }
  report["passed"] = passed && kernels > 0;
  if (!status.ok()) report["stopped"] = status.error().detail;
  if (options.json) {
    console.out << report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << '\n';
  } else if (passed && kernels > 0) {
    console.out << "passed: " << kernels << " kernels\n";
  } else if (kernels > 0) {
    console.out << "not passed: " << faulty << " of " << kernels
                << " kernels computed wrong results or failed\n";
  }
  if (!status.ok()) {
    console.err << BeginError
                << "tunehub-agent selftest: stopped, the device is lost: " << status.error().detail
                << '\n'
                << EndError;
  } else if (kernels == 0) {
    return Fail(console, kName,
                {"no_kernels", "no kernel of the named families can run on this device"});
  }
  return passed ? kGood : kFinding;
}

int Test(const Options& options, const DeviceOption& option, Console& console) {
  const auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return Fail(console, kName, configuration.error());
  const auto& covered = kernels::CoveredFamilies();
  for (const auto& family : options.families) {
    if (std::ranges::count(covered, family) > 0) continue;
    return Fail(console, kName,
                {"unknown_family", "tunehub has no kernel of the family " + family});
  }
  const auto chosen = ChooseDevice(*configuration, options.worker, option);
  if (!chosen.ok()) return Fail(console, kName, chosen.error());
  if (!chosen->no_gpu.empty()) {
    console.err << "tunehub-agent selftest: no GPU: " << chosen->no_gpu << "; testing the CPU\n";
  }
  WorkerOptions worker = WorkerFor(*configuration, options.worker, chosen->device);
  worker.candidate = std::chrono::seconds(options.timeout_s);
  WorkerDevice device(worker);
  if (!options.json) PrintTested(console.out, chosen->device);
  std::vector<FamilyReport> reports;
  const auto status = TestFamilies(options, device, chosen->device.gpu >= 0, console.out, reports);
  return Conclude(options, chosen->device, reports, status, console);
}

}  // namespace

int RunSelftest(int argc, char** argv, Console& console) {
  Options options;
  cli::CommandLine line(
      "Runs every kernel of this device on small shapes, and compares the results with float64. "
      "The exit code is 0 only if all results are right and no kernel failed.",
      "tunehub-agent selftest");
  line.Add("--device", options.device,
           "gpu, gpu:INDEX, cpu, or auto: the GPU, if tunehub has kernels for it")
      .Suggest({"auto", "cpu", "gpu"})
      .ShowDefault();
  line.Add("--family", options.families, "only these families");
  line.Add("--candidate-timeout,--timeout", options.timeout_s, "seconds for one run of a kernel")
      .Range(1, 86'400)
      .ShowDefault();
  line.Add("--worker", options.worker,
           "the program that runs the kernels, of the CPU or (with --device gpu) of a GPU");
  line.Add("--configs", options.configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto device = ReadDeviceOption(options.device);
  if (!device.ok()) return Fail(console, kName, device.error());
  return Test(options, *device, console);
}

}  // namespace tunehub::agent
