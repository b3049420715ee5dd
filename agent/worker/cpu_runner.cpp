#include "agent/worker/cpu_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/cpu/catalog.h"
#include "kernels/device.h"
#include "kernels/timer.h"

namespace tunehub::agent::worker {

core::Result<nlohmann::json> CpuRunner::Device() {
  const core::Target target = kernels::ThisCpu();
  return nlohmann::json{{"kind", "cpu"}, {"gfx", target.gfx}, {"cu_num", target.cu_num}};
}

core::Result<std::vector<std::string>> CpuRunner::Kernels(const std::string& family) {
  return kernels::Names(family);
}

core::Result<Offered> CpuRunner::Prepare(const kernels::Problem& problem, std::uint64_t seed) {
  bench_.reset();  // its memory first
  candidates_ = kernels::Candidates(problem);
  const auto fallback =
      std::find(candidates_.begin(), candidates_.end(), kernels::DefaultCandidate(problem));
  if (fallback == candidates_.end()) {
    return core::Error{kUnsupportedShape,
                       fmt::format("no kernel of {} runs this shape here", problem.family)};
  }
  auto bench = kernels::Workbench::Make(problem, seed);
  if (!bench.ok()) return core::Error{kUnsupportedShape, bench.error().detail};
  bench_.emplace(*std::move(bench));
  return Offered{candidates_, static_cast<std::size_t>(fallback - candidates_.begin())};
}

core::Result<kernels::Check> CpuRunner::Verify(std::size_t candidate) {
  return bench_->Verify(candidates_[candidate]);
}

core::Result<double> CpuRunner::Sample(std::size_t candidate, int calls,
                                       kernels::gpu::Cache cache) {
  if (cache != kernels::gpu::Cache::kRotating) {
    return core::Error{"bad_request", "inputs on a CPU rotate: there is no time hot or cold"};
  }
  return bench_->TimeMicroseconds(candidates_[candidate], calls);
}

core::Result<double> CpuRunner::Pulse() {
  return kernels::PulseUs();
}

}  // namespace tunehub::agent::worker
