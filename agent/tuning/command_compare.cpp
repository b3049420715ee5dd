#include "agent/tuning/command_compare.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/command_line.h"
#include "agent/configuration.h"
#include "agent/file_bytes.h"
#include "agent/input_family.h"
#include "agent/tuning/speedup.h"
#include "agent/tuning/tune_command.h"

namespace tunehub::agent::tuning {
namespace {

using Json = nlohmann::ordered_json;

core::Result<std::vector<Compared>> CompareFiles(const std::string& before,
                                                 const std::string& after,
                                                 const std::string& family_name,
                                                 const Configuration& configuration) {
  const auto first = FileBytes::Read(before), second = FileBytes::Read(after);
  if (!first.ok()) return first.error();
  if (!second.ok()) return second.error();
  const core::SourceFile files[] = {{before, first->view()}, {after, second->view()}};
  const auto family = CommonFamily(configuration.families, family_name, files);
  if (!family.ok()) return family.error();
  const auto old_times = ReadTimes(**family, before, first->view());
  if (!old_times.ok()) return old_times.error();
  const auto new_times = ReadTimes(**family, after, second->view());
  if (!new_times.ok()) return new_times.error();
  return Compare(*old_times, *new_times);
}

Json ToJson(const Compared& it) {
  Json json = {{"target", it.target}, {"shape", it.shape}, {"change", Name(it.change)}};
  if (it.before_us > 0) json["before_us"] = it.before_us;
  if (it.after_us > 0) json["after_us"] = it.after_us;
  if (it.before_us > 0 && it.after_us > 0) json["speedup"] = it.speedup();
  return json;
}

void PrintLine(const Compared& it, std::ostream& out) {
  char text[96];
  std::snprintf(text, sizeof text, "%12.2f %12.2f %8s  %-8s", it.before_us, it.after_us,
                it.before_us > 0 && it.after_us > 0
                    ? Json(std::round(it.speedup() * 1000) / 1000).dump().c_str()
                    : "-",
                Name(it.change));
  out << text << ' ' << TextOf(it.shape) << '\n';
}

int Report(const std::vector<Compared>& compared, bool json, Console& console) {
  std::vector<double> speedups;
  for (const Compared& it : compared) {
    if (it.before_us > 0 && it.after_us > 0) speedups.push_back(it.speedup());
  }
  const auto slower = std::count_if(compared.begin(), compared.end(), [](const Compared& it) {
    return it.change == Change::kSlower;
  });
  if (json) {
    Json report = {{"shapes", Json::array()}, {"slower", slower}};
    for (const Compared& it : compared) report["shapes"].push_back(ToJson(it));
    if (!speedups.empty()) report["geometric_mean_speedup"] = GeometricMean(speedups);
    console.out << report.dump() << '\n';
    return slower > 0 ? kFinding : kGood;
  }
  console.out << "   before us     after us  speedup  change   shape\n";
  for (const Compared& it : compared) PrintLine(it, console.out);
  if (speedups.empty()) {
    console.out << "no shape is in both\n";
  } else {
    char text[96];
    std::snprintf(text, sizeof text, "geometric mean of %zu speed-ups: %.3f; slower: %td\n",
                  speedups.size(), GeometricMean(speedups), slower);
    console.out << text;
  }
  return slower > 0 ? kFinding : kGood;
}

}  // namespace

int RunCompare(int argc, char** argv, Console& console) {
  std::string before, after, family, configs;
  bool json = false;
  CLI::App app("Two tables by shape: the speed-ups, and what became slower.",
               "tunehub-agent compare");
  app.add_option("BEFORE", before, "what bench --before -o writes, or any tuned table")->required();
  app.add_option("AFTER", after, "another of the same family")->required();
  app.add_option("--family", family, "the family; default: what the files say");
  app.add_option("--configs", configs, "folder with families/ and targets.json");
  app.add_flag("--json", json, "report as JSON");
  if (const auto code = ParseArguments(app, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return FailTuning("compare", configuration.error(), console);
  const auto compared = CompareFiles(before, after, family, *configuration);
  if (!compared.ok()) return FailTuning("compare", compared.error(), console);
  return Report(*compared, json, console);
}

int RunDiscover(int argc, char** argv, Console& console) {
  bool json = false;
  std::string kind = "cpu";
  CLI::App app("The device that this host tunes on.", "tunehub-agent discover");
  app.add_option("--kind", kind, "cpu or amd")->check(CLI::IsMember({"cpu", "amd"}));
  app.add_flag("--json", json, "as JSON");
  if (const auto code = ParseArguments(app, argc, argv, console)) return *code;
  const auto device = kind == "amd" ? AmdDevice("/") : ThisCpuDevice();
  if (!device.ok()) return FailTuning("discover", device.error(), console);
  const Json report = {{"kind", device->kind},           {"name", device->name},
                       {"gfx", device->target.gfx},      {"cu_num", device->target.cu_num},
                       {"memory", device->memory_bytes}, {"isa", device->isa}};
  if (json) {
    console.out << report.dump() << '\n';
    return kGood;
  }
  for (const auto& [name, value] : report.items()) {
    console.out << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump())
                << '\n';
  }
  return kGood;
}

}  // namespace tunehub::agent::tuning
