#include "examples/dispatch_gemms/layer_run.h"

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "examples/dispatch_gemms/sequence.h"

namespace tunehub::example {
namespace {

std::string KernelText(const GemmRun& run) {
  const th_answer& row = run.row();
  if (row.found == 0) return "no row: the default";
  const std::string name = fmt::format("{} splitK={}", row.kernel_name, row.split_k);
  if (row.own_kernel == 0) {
    return fmt::format("the default; the row names {}, not tunehub's own", name);
  }
  return fmt::format("{} ({})", name, row.step);
}

void Print(int m, const std::string& layer, const Times& times, const std::string& remark) {
  std::printf("%7d  %-11s %12.2f %12.2f %9.3f  %s\n", m, layer.c_str(), times.standard, times.tuned,
              times.standard / times.tuned, remark.c_str());
}

core::Status RunM(int m, Sequence& sequence, const std::vector<core::Projection>& gemms,
                  int repetitions, Times& total) {
  if (auto status = sequence.Verify(); !status.ok()) return status;
  for (std::size_t i = 0; i < gemms.size(); ++i) {
    const auto times = sequence.TimeOne(i, repetitions);
    if (!times.ok()) return times.error();
    const std::string shape = fmt::format(" N={} K={}", gemms[i].n, gemms[i].k);
    Print(m, gemms[i].layer, *times, KernelText(sequence.runs()[i]) + shape);
  }
  const auto times = sequence.TimeAll(repetitions);
  if (!times.ok()) return times.error();
  Print(m, "the layer", *times, "");
  total.standard += times->standard;
  total.tuned += times->tuned;
  return core::Ok();
}

}  // namespace

core::Status RunLayers(const core::Family& family, bool fnuz, const Options& options,
                       const std::vector<core::Projection>& gemms,
                       const std::vector<Layer>& layers) {
  const auto& driver = kernels::gpu::ThisDriver();
  if (!driver.ok()) return driver.error();
  const auto device = kernels::gpu::UseDevice(*driver, 0);
  if (!device.ok()) return device.error();
  std::printf("%7s  %-11s %12s %12s %9s  %s\n", "M", "layer", "default us", "tuned us", "speed-up",
              "tuned kernel");
  Times total;
  for (const int m : options.ms) {
    std::vector<GemmRun> runs;
    for (std::size_t i = 0; i < gemms.size(); ++i) {
      const auto problem = ProblemOf(family, fnuz, options, gemms[i], m);
      if (!problem.ok()) return problem.error();
      auto run = GemmRun::Make(*driver, *device, *problem, *layers[i]);
      if (!run.ok()) return run.error();
      runs.push_back(*std::move(run));
    }
    auto sequence = Sequence::Make(*driver, std::move(runs));
    if (!sequence.ok()) return sequence.error();
    auto status = RunM(m, *sequence, gemms, options.repetitions, total);
    if (!status.ok()) return status;
  }
  std::printf("all %zu M: default %.2f us, tuned %.2f us, ratio %.3f\n", options.ms.size(),
              total.standard, total.tuned, total.standard / total.tuned);
  return core::Ok();
}

}  // namespace tunehub::example
