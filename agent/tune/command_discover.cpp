#include <fmt/core.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "agent/aiter/private_tree.h"
#include "agent/base/configuration.h"
#include "agent/device/this_device.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/engines/script_command.h"
#include "agent/tune/commands.h"
#include "core/base/read_json.h"
#include "kernels/device.h"
#include "kernels/sets/gpu_sets.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kWhichPython[] =
    "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version()]))";

Json OrNull(const std::string& seen) {
  return seen.empty() ? Json() : Json(seen);
}

// Adds the interpreter's versions to `host`. Returns true if its PyTorch is built for ROCm.
bool SeePython(const std::string& python, Json& host) {
  const auto says = core::ReadJson(AskPython(python, kWhichPython));
  if (!says.is_array() || says.size() != 2) return false;
  host["python"] = says[0];
  host["python_version"] = says[1];
  bool for_rocm = false;
  for (const std::string& version : PythonToolchain(python)) {
    const std::string name = version.substr(0, version.find('='));
    const std::string member = name == "aiter" ? "version" : name;
    if (name == "rocm") {
      for_rocm = true;  // the ROCm that is installed may differ
    } else if (host.contains(member)) {
      host[member] = version.substr(name.size() + 1);
    }
  }
  return for_rocm;
}

// Returns the first thing that a tune script needs and this host lacks; "": nothing.
std::string WhyNot(const Json& host, const core::Family& family, bool for_rocm,
                   const std::string& gfx) {
  if (host["path"].is_null()) return "AITER was not found";
  const std::string script = family.tune_script.substr(0, family.tune_script.find(' '));
  if (FindScript(host["path"].get<std::string>(), script).empty())
    return "this AITER does not have the script";
  if (VariantOf(family.tune_script) == nullptr) {
    return family.metric.formula == "none" ? "its cases have no shapes"
                                           : "tunehub does not know its options";
  }
  if (host["python"].is_null()) return "python3 does not run";
  if (host["pytorch"].is_null()) return "python3 has no PyTorch";
  if (!for_rocm) return "PyTorch is not built for ROCm";
  return gfx.empty() ? "this host has no AMD GPU" : WhyNotOn(family, gfx);
}

constexpr int kMostGpus = 64;  // the most GPUs of one host; a driver that lists more is broken
constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

struct Host {
  std::vector<DeviceInfo> devices;  // the CPU last
  std::string no_gpu;               // why `devices` has no GPU; "": it has a GPU
};

core::Result<DeviceInfo> DeviceOfKind(const Configuration& configuration, const std::string& kind) {
  if (kind == "amd") return AmdDevice("/");
  if (kind == "cpu") return ThisCpuDevice();
  return GpuDevice(configuration, "", 0);
}

Host WholeHost(const Configuration& configuration) {
  Host host;
  for (int index = 0; index < kMostGpus; ++index) {
    auto gpu = GpuDevice(configuration, "", index);
    if (!gpu.ok()) {
      if (index == 0) host.no_gpu = gpu.error().detail;
      break;
    }
    host.devices.push_back(*std::move(gpu));
  }
  if (auto cpu = ThisCpuDevice(); cpu.ok()) host.devices.push_back(*std::move(cpu));
  return host;
}

// The targets of this program's kernels: "x86-64-v2, x86-64-v3, x86-64-v4", "sm_90".
std::vector<std::string> KernelSets() {
  std::vector<std::string> sets = {fmt::format("{}, {}, {}", kernels::NameOf(kernels::Isa::kV2),
                                               kernels::NameOf(kernels::Isa::kV3),
                                               kernels::NameOf(kernels::Isa::kV4))};
  for (const auto* set : kernels::GpuSets()) sets.push_back(set->Chips());
  return sets;
}

Json DeviceJson(const DeviceInfo& device, const core::Devices& devices) {
  const core::Device* const product = ProductOf(device, devices);
  Json json = {{"product", product == nullptr ? "" : product->product},
               {"kind", device.kind},
               {"name", device.name},
               {"gfx", device.target.gfx},
               {"cu_num", device.target.cu_num},
               {"memory", device.memory_bytes},
               {"isa", device.isa}};
  if (device.gpu < 0) return json;
  json["pci_id"] = device.pci_id;
  json["partition"] = device.partition;
  json["memory_partition"] = device.memory_partition;
  json["power_limit"] = device.power_limit;
  return json;
}

int PrintDevice(const DeviceInfo& device, const core::Devices& devices, bool json,
                std::ostream& out) {
  const Json report = DeviceJson(device, devices);
  if (json) {
    out << report.dump() << '\n';
    return kGood;
  }
  for (const auto& [name, value] : report.items()) {
    out << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  }
  return kGood;
}

// "gpu:0: MI325X (gfx942:304), AMD Instinct MI325X, 256 GiB, SPX, NPS1, 1000 W".
std::string LineOf(const DeviceInfo& device, const core::Devices& devices) {
  const double gib = static_cast<double>(device.memory_bytes) / kGib;
  if (device.gpu < 0) {
    return fmt::format("cpu: {}, {} with {} cores, {:.0f} GiB", device.name, device.target.gfx,
                       device.target.cu_num, gib);
  }
  std::string line = fmt::format("gpu:{}: {}", device.gpu, NameOf(device, devices));
  for (const std::string& said :
       {device.name, fmt::format("{:.0f} GiB", gib), device.partition, device.memory_partition}) {
    if (!said.empty()) line += ", " + said;
  }
  return device.power_limit > 0 ? fmt::format("{}, {:g} W", line, device.power_limit) : line;
}

// Returns the architecture of the first AMD GPU in the driver's list, or else in the kernel's list;
// "": no AMD GPU.
std::string AmdGfx(const Host& host) {
  for (const DeviceInfo& device : host.devices) {
    if (device.target.gfx.starts_with("gfx")) return device.target.gfx;
  }
  const auto listed = AmdDevice("/");
  return listed.ok() ? listed->target.gfx : "";
}

// Reports the parts of AITER on this host. Does not import AITER, and starts only Python and git.
// Returns {"path", "no_aiter", "commit", "version", "rocm", "python", "python_version", "pytorch",
// "triton", "variants": [{"variant", "family", "script", "can_run", "why_not"}]}; a value that was
// not found is null. `gfx`: the host's AMD GPU; "": none.
Json SeeAiter(const core::Families& families, const std::filesystem::path& given,
              const std::string& gfx) {
  const std::string python = AiterOptions().python;
  const auto root = FindAiter(given, python);
  const std::string rocm = RocmVersion();
  Json host = {{"path", root.ok() ? Json(root->string()) : Json()},
               {"no_aiter", root.ok() ? "" : root.error().detail},
               {"commit", root.ok() ? OrNull(CommitOf(*root)) : Json()},
               {"version", nullptr},
               {"rocm", rocm == kUnknownRocm ? Json() : Json(rocm)},
               {"python", nullptr},
               {"python_version", nullptr},
               {"pytorch", nullptr},
               {"triton", nullptr},
               {"variants", Json::array()}};
  const bool for_rocm = SeePython(python, host);
  for (const auto& family : families.all()) {
    if (family->tune_script.empty()) continue;
    const std::string why_not = WhyNot(host, *family, for_rocm, gfx);
    host["variants"].push_back({{"variant", VariantName(*family)},
                                {"family", family->name},
                                {"script", family->tune_script},
                                {"can_run", why_not.empty()},
                                {"why_not", why_not}});
  }
  return host;
}

void PrintAiter(const Json& seen, std::ostream& out) {
  const auto text = [&](const char* name) {
    return seen[name].is_string() ? seen[name].get<std::string>() : std::string("unknown");
  };
  out << (seen["path"].is_null() ? "no AITER: " + text("no_aiter")
                                 : fmt::format("AITER: {}, version {}, commit {}", text("path"),
                                               text("version"), text("commit")))
      << fmt::format("\nROCm: {}\nPython: {} ({}), PyTorch {}, Triton {}\n", text("rocm"),
                     text("python_version"), text("python"), text("pytorch"), text("triton"));
  for (const Json& it : seen["variants"]) {
    const auto why_not = it["why_not"].get<std::string>();
    out << fmt::format("{} ({}): {}\n", it["variant"].get<std::string>(),
                       it["script"].get<std::string>(),
                       why_not.empty() ? "can run" : "cannot run: " + why_not);
  }
}

int PrintHost(const Host& host, const Configuration& configuration, const std::string& aiter,
              bool json, std::ostream& out) {
  const core::Devices& devices = configuration.targets.devices();
  const Json seen = SeeAiter(configuration.families, aiter, AmdGfx(host));
  if (json) {
    Json report = {{"devices", Json::array()}, {"no_gpu", host.no_gpu}, {"kernels", KernelSets()}};
    for (const DeviceInfo& device : host.devices)
      report["devices"].push_back(DeviceJson(device, devices));
    report["aiter"] = seen;
    out << report.dump() << '\n';
    return kGood;
  }
  if (!host.no_gpu.empty()) out << "no GPU: " << host.no_gpu << '\n';
  for (const DeviceInfo& device : host.devices) out << LineOf(device, devices) << '\n';
  out << fmt::format("kernels for: {}\n", fmt::join(KernelSets(), "; "));
  PrintAiter(seen, out);
  return kGood;
}

}  // namespace

int RunDiscover(int argc, char** argv, Console& console) {
  bool json = false;
  std::string kind, aiter;
  cli::CommandLine line(
      "Lists this host's devices, the targets of this program's kernels, and which of AITER's "
      "tuners can run here.",
      "tunehub-agent discover");
  line.Add("--kind", kind,
           "show only one device, as an agent reports it to a hub: cpu; amd (from the kernel's "
           "list); gpu (from the driver that runs kernels)")
      .OneOf({"cpu", "amd", "gpu"});
  line.Add("--aiter", aiter,
           "AITER's checkout; default: $AITER_ROOT_DIR, $AITER_PATH, else the installed package");
  line.AddFlag("--json", json, "as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration("");
  if (!configuration.ok()) return Fail(console, "discover", configuration.error());
  const core::Devices& devices = configuration->targets.devices();
  if (kind.empty())
    return PrintHost(WholeHost(*configuration), *configuration, aiter, json, console.out);
  const auto device = DeviceOfKind(*configuration, kind);
  return device.ok() ? PrintDevice(*device, devices, json, console.out)
                     : Fail(console, "discover", device.error());
}

}  // namespace tunehub::agent
