#include "agent/daemon/device_families.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/aiter/tuners/aiter_variant.h"
#include "kernels/cpu/catalog.h"

namespace tunehub::agent::daemon {
namespace {

// A worker that cannot say which kernels it has is taken to have some.
bool HasKernels(tuning::WorkerDevice& worker, const std::string& family) {
  const auto kernels = worker.Kernels(family);
  return !kernels.ok() || !kernels->empty();
}

// What this device can tune.
std::vector<std::string> DeviceFamilies(const tuning::TuneOptions& options,
                                        const std::vector<std::string>& wanted,
                                        const tuning::Bench& bench) {
  std::vector<std::string> families;
  const auto& all = bench.configuration.families.all();
  if (options.tuner == tuning::kAiter) {
    for (const auto& family : all) {
      if (tuners::VariantOf(*family) != nullptr) families.push_back(family->name);
    }
    return families;
  }
  if (options.ByEngine()) {
    const char* const tuned =
        options.tuner == tuning::kTunableOp ? "tunableop" : "triton_fused_moe";
    if (bench.configuration.families.Find(tuned) != nullptr) families.emplace_back(tuned);
    return families;
  }
  tuning::WorkerDevice worker(tuning::WorkerFor(bench.configuration, options.worker, bench.device));
  for (const auto& family : all) {
    // A worker of a user's own may have kernels of others than ours.
    const bool ours = std::ranges::count(kernels::CoveredFamilies(), family->name) > 0;
    const bool named = std::ranges::count(wanted, family->name) > 0;
    if (!ours && (options.worker.empty() || !named)) continue;
    if (HasKernels(worker, family->name)) families.push_back(family->name);
  }
  return families;
}

}  // namespace

core::Result<std::vector<std::string>> FamiliesOf(const tuning::TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const tuning::Bench& bench) {
  std::vector<std::string> there = DeviceFamilies(options, wanted, bench);
  const std::string names = fmt::format("{}", fmt::join(there, ", "));
  for (const std::string& name : wanted) {
    if (std::ranges::count(there, name) > 0) continue;
    return core::Error{"unknown_family",
                       fmt::format("--family {}: this device cannot tune it, {}", name,
                                   names.empty() ? "nor any other" : "only " + names)};
  }
  return wanted.empty() ? there : wanted;
}

}  // namespace tunehub::agent::daemon
