#include "kernels/gpu/workbench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "kernels/buffer.h"
#include "kernels/gpu/input_sets.h"
#include "kernels/gpu/modules.h"
#include "kernels/gpu/sm_clock.h"
#include "kernels/gpu/stream.h"
#include "kernels/operands.h"
#include "kernels/reference.h"

namespace tunehub::kernels::gpu {
namespace {

using core::Error;

// All bits set is NaN in bf16 and float32, so it reveals elements that no kernel wrote.
constexpr unsigned char kPoison = 0xff;
constexpr std::uint64_t kLeastRotatingBytes = std::uint64_t{128} << 20;
// The limit for all graphs of a problem. A thousand launches take some megabytes of the driver's
// memory.
constexpr int kMostCaptured = 48'000;
constexpr double kPulseUs = 500;
// Untimed launches before a sample, as a share of its calls. They wake the device and load the
// kernel's code into its caches. They also hide the time to start the graph.
constexpr int kCallsPerLead = 25;

struct Captured {
  std::size_t candidate;
  int calls;
  Cache cache;
  std::vector<const Launches*> turn;  // call number i is turn[i % size]
  std::unique_ptr<Graph> graph;
};

}  // namespace

struct GpuWorkbench::State {
  State(const KernelSet& set, const Driver& the_driver, DeviceProperties properties)
      : kernels(set), driver(the_driver), device(std::move(properties)), modules(the_driver) {}

  const KernelSet& kernels;
  const Driver& driver;
  DeviceProperties device;
  Problem problem;
  Modules modules;
  std::vector<Candidate> candidates;
  Reference reference;
  std::optional<InputSets> sets;
  Memory workspace, flush;
  std::unique_ptr<Stream> stream;
  std::optional<SmClock> clock;
  double sm_mhz = 0;
  std::map<std::size_t, std::vector<Launches>> launches;  // by candidate and input set
  std::deque<Captured> graphs;                            // oldest first
  int captured = 0;                                       // number of launches in `graphs`
  int pulse_calls = 0;

  core::Status Fill(const GpuWorkbenchOptions& options);
  core::Status MakeWorkspace();
  core::Result<const std::vector<Launches>*> LaunchesOf(std::size_t candidate);
  core::Result<const Captured*> GraphOf(std::size_t candidate, int calls, Cache cache);
  core::Status Lead(const Captured& captured);
  core::Result<double> Clocked(const std::function<core::Result<double>()>& timed);
  core::Result<double> TimeOne(std::size_t candidate, Cache cache);
  core::Result<double> TimeCold(std::size_t candidate, int calls);
};

core::Status GpuWorkbench::State::MakeWorkspace() {
  std::size_t bytes = 0;
  for (const Candidate& candidate : candidates) {
    bytes = std::max(bytes, kernels.WorkspaceBytes(problem, candidate, device));
  }
  auto memory = Memory::Make(driver, bytes);
  if (!memory.ok()) return memory.error();
  workspace = *std::move(memory);
  return core::Ok();
}

core::Status GpuWorkbench::State::Fill(const GpuWorkbenchOptions& options) {
  const auto operands = MakeOperands(problem, options.seed, options.threads);
  const std::uint64_t rotating = options.rotating_bytes != 0
                                     ? options.rotating_bytes
                                     : std::max(2 * device.cache_bytes, kLeastRotatingBytes);
  auto made = InputSets::Make(driver, problem, operands, rotating);
  if (!made.ok()) return made.error();
  sets.emplace(*std::move(made));
  reference =
      MakeReference(problem, operands, options.reference_work, options.seed, options.threads);
  auto made_stream = Stream::Make(driver);
  if (!made_stream.ok()) return made_stream.error();
  stream = *std::move(made_stream);
  auto made_clock = SmClock::Make(driver);
  if (!made_clock.ok()) return made_clock.error();
  clock.emplace(*std::move(made_clock));
  return MakeWorkspace();
}

core::Result<const std::vector<Launches>*> GpuWorkbench::State::LaunchesOf(std::size_t candidate) {
  auto& planned = launches[candidate];
  while (planned.size() < sets->count()) {
    Addresses at = sets->At(planned.size());
    at.workspace = workspace.data();
    auto once = kernels.Plan(problem, candidates[candidate], device, driver, at);
    if (!once.ok()) return once.error();
    planned.push_back(*std::move(once));
  }
  return &planned;
}

core::Result<const Captured*> GpuWorkbench::State::GraphOf(std::size_t candidate, int calls,
                                                           Cache cache) {
  const auto found = std::ranges::find_if(graphs, [&](const Captured& it) {
    return it.candidate == candidate && it.calls == calls && it.cache == cache;
  });
  if (found != graphs.end()) return &*found;
  const auto planned = LaunchesOf(candidate);
  if (!planned.ok()) return planned.error();
  std::vector<const Launches*> turn;
  for (const Launches& once : **planned) {
    if (cache == Cache::kRotating || turn.empty()) turn.push_back(&once);
  }
  auto graph = stream->Capture(modules, turn, calls);
  if (!graph.ok()) return graph.error();
  for (captured += calls; captured > kMostCaptured && !graphs.empty(); graphs.pop_front()) {
    captured -= graphs.front().calls;
  }
  graphs.push_back({candidate, calls, cache, std::move(turn), *std::move(graph)});
  return &graphs.back();
}

core::Status GpuWorkbench::State::Lead(const Captured& it) {
  const std::size_t size = it.turn.size();
  const auto count = static_cast<std::size_t>((it.calls + kCallsPerLead - 1) / kCallsPerLead);
  core::Status status = core::Ok();
  // The graph begins with the first set, so the lead must end with the last set.
  for (std::size_t i = count; i > 0 && status.ok(); --i) {
    status = stream->Put(modules, *it.turn[(size - i % size) % size]);
  }
  return status;
}

// The readings of the clock lie outside of the time, before the lead and after the end.
core::Result<double> GpuWorkbench::State::Clocked(
    const std::function<core::Result<double>()>& timed) {
  if (auto status = clock->Begin(modules, stream->get()); !status.ok()) return status.error();
  auto us = timed();
  if (!us.ok()) return us;
  const auto mhz = clock->End(modules, stream->get());
  if (!mhz.ok()) return mhz.error();
  sm_mhz = *mhz;
  return us;
}

// Uses no graph, because the driver needs longer to make a graph than to run the call.
core::Result<double> GpuWorkbench::State::TimeOne(std::size_t candidate, Cache cache) {
  const auto planned = LaunchesOf(candidate);
  if (!planned.ok()) return planned.error();
  const auto& turn = **planned;
  return Clocked([&]() -> core::Result<double> {
    auto status = stream->Put(modules, cache == Cache::kHot ? turn.front() : turn.back());
    if (!status.ok()) return status.error();
    return stream->Time(modules, turn.front(), {});
  });
}

core::Result<double> GpuWorkbench::State::TimeCold(std::size_t candidate, int calls) {
  if (flush.size() == 0) {
    auto memory = Memory::Make(driver, std::max(2 * device.cache_bytes, kLeastRotatingBytes));
    if (!memory.ok()) return memory.error();
    flush = *std::move(memory);
  }
  const auto planned = LaunchesOf(candidate);
  if (!planned.ok()) return planned.error();
  double sum = 0;
  for (int i = 0; i < calls; ++i) {
    auto us = stream->Time(modules, (*planned)->front(), [&](hipStream_t to) -> int {
      return driver.fill_later(flush.data(), static_cast<unsigned char>(i), flush.size(), to);
    });
    if (!us.ok()) return us;
    sum += *us;
  }
  return sum / calls;
}

GpuWorkbench::GpuWorkbench(std::unique_ptr<State> state) : state_(std::move(state)) {}
GpuWorkbench::GpuWorkbench(GpuWorkbench&&) noexcept = default;
GpuWorkbench& GpuWorkbench::operator=(GpuWorkbench&&) noexcept = default;
GpuWorkbench::~GpuWorkbench() = default;

core::Result<GpuWorkbench> GpuWorkbench::Make(const Problem& problem, const KernelSet& kernels,
                                              const Driver& driver, const DeviceProperties& device,
                                              const GpuWorkbenchOptions& options) {
  auto state = std::make_unique<State>(kernels, driver, device);
  state->problem = kernels.InEncoding(problem, device);
  state->candidates = kernels.Candidates(state->problem, device);
  if (state->candidates.empty()) {
    return Error{"unsupported_shape", fmt::format("no kernel for {} can compute this shape of {}",
                                                  device.target.gfx, problem.family)};
  }
  if (auto status = state->Fill(options); !status.ok()) return status.error();
  return GpuWorkbench(std::move(state));
}

const std::vector<Candidate>& GpuWorkbench::candidates() const {
  return state_->candidates;
}
std::size_t GpuWorkbench::input_sets() const {
  return state_->sets->count();
}
double GpuWorkbench::load_ms() const {
  return state_->modules.load_ms();
}

core::Result<Check> GpuWorkbench::Verify(std::size_t candidate) {
  auto& state = *state_;
  const auto planned = state.LaunchesOf(candidate);
  if (!planned.ok()) return planned.error();
  auto status = state.sets->output().Fill(kPoison);
  if (status.ok()) status = state.workspace.Fill(kPoison);
  if (status.ok()) status = state.stream->RunOnce(state.modules, (*planned)->front());
  if (!status.ok()) return status.error();
  auto compared = ReadRows(state.problem, state.sets->output(), state.reference.rows);
  if (!compared.ok()) return compared.error();
  return Compare(*compared, state.reference.values);
}

core::Result<double> GpuWorkbench::TimeMicroseconds(std::size_t candidate, int calls, Cache cache) {
  auto& state = *state_;
  state.sm_mhz = 0;
  if (cache == Cache::kCold) return state.TimeCold(candidate, calls);
  if (calls == 1) return state.TimeOne(candidate, cache);
  const auto captured = state.GraphOf(candidate, calls, cache);
  if (!captured.ok()) return captured.error();
  return state.Clocked([&]() -> core::Result<double> {
    if (auto status = state.Lead(**captured); !status.ok()) return status.error();
    auto us = state.stream->Time(*(*captured)->graph);
    if (!us.ok()) return us;
    return *us / calls;
  });
}

double GpuWorkbench::sm_mhz() const {
  return state_->sm_mhz;
}

core::Result<double> GpuWorkbench::PulseMicroseconds() {
  auto& state = *state_;
  if (state.pulse_calls == 0) {
    auto us = TimeMicroseconds(0, 1);
    if (!us.ok()) return us;
    state.pulse_calls = static_cast<int>(std::clamp(std::ceil(kPulseUs / *us), 1.0, 200.0));
  }
  return TimeMicroseconds(0, state.pulse_calls);
}

}  // namespace tunehub::kernels::gpu
