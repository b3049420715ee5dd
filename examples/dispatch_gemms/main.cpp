// dispatch-example: the GEMMs of a transformer layer, with default and with tuned kernels.
#include <cstdio>
#include <exception>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "examples/dispatch_gemms/gemms.h"
#include "examples/dispatch_gemms/layer_run.h"
#include "examples/dispatch_gemms/lookup_report.h"
#include "examples/dispatch_gemms/options.h"
#include "examples/dispatch_gemms/table_source.h"

namespace tunehub::example {
namespace {

constexpr int kBad = 2;

// The target that the hub is asked for. Errors: dispatch (no GPU).
core::Result<std::string> GfxOf(const Options& options) {
  if (!options.gfx.empty()) return options.gfx;
  th_device_info device{};
  const auto status = Checked(th_device(&device));
  if (!status.ok()) return status.error();
  std::printf("%s: %s with %d compute units\n", device.name, device.gfx, device.cu_num);
  return std::string(device.gfx);
}

core::Result<Table> OpenTable(const Options& options, const std::string& gfx) {
  const auto file = Fetch(options.source, options.family, gfx);
  if (!file.ok()) return file.error();
  th_table* table = nullptr;
  const auto status =
      Checked(th_open(file->path().c_str(), options.family.c_str(), nullptr, &table));
  if (!status.ok()) return status.error();
  Table owned(table);
  th_table_info info{};
  static_cast<void>(th_info(table, &info));
  std::printf("%s: %zu rows", info.family, info.rows);
  if (info.left_out > 0) std::printf(", %zu left out (%s)", info.left_out, info.why);
  std::printf("\n");
  return owned;
}

core::Status Run(const Options& options) {
  const auto configs = ConfigsOf(options);
  if (!configs.ok()) return configs.error();
  const auto gemms = GemmsOf(options, *configs);
  if (!gemms.ok()) return gemms.error();
  const auto gfx = GfxOf(options);
  if (!gfx.ok()) return gfx.error();
  const auto table = OpenTable(options, *gfx);
  if (!table.ok()) return table.error();
  const auto layers = OpenLayers(**table, options, *gemms);
  if (!layers.ok()) return layers.error();
  if (options.lookup_only) return PrintAnswers(*gemms, *layers, options.ms);
  const auto families = core::Families::Load(*configs / "families");
  if (!families.ok()) return families.error();
  const core::Family* const family = families->Find(options.family);
  if (family == nullptr) return core::Error{"unknown_family", "no family " + options.family};
  const auto targets = core::Targets::Load(*configs / "targets.json");
  if (!targets.ok()) return targets.error();
  return RunLayers(*family, targets->IsFnuz(*gfx), options, *gemms, *layers);
}

}  // namespace
}  // namespace tunehub::example

int main(int argc, char** argv) {
  tunehub::example::Options options;
  if (const auto status = tunehub::example::ParseOptions(argc, argv, options)) return *status;
  const auto status = tunehub::example::Run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "dispatch-example: %s\n", status.error().detail.c_str());
  return tunehub::example::kBad;
}
