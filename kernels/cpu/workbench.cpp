#include "kernels/cpu/workbench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/moe.h"
#include "kernels/operands.h"

namespace tunehub::kernels::cpu {

// The threads and working memory for all runs.
struct Runners {
  GemmRunner gemm;
  MoeRunner moe;
};

// One set of a problem's inputs, in this build's layouts. Run() computes a config on it.
class InputSet {
 public:
  InputSet(const Problem& problem, Isa isa, Operands operands);
  // A copy in its own memory.
  InputSet Copy() const;

  std::size_t bytes() const;
  // Writes the whole output, for all batches. `problem` and `isa` must equal the constructor's.
  void Run(const Problem& problem, Isa isa, const Config& config, int split_k, Runners& runners,
           void* out) const;

 private:
  InputSet() = default;
  void RunMoe(const Problem& problem, Isa isa, const Config& config, Runners& runners,
              void* out) const;

  Buffer a_, a_scale_;
  Routing routing_;
  std::vector<PackedWeights> w_;     // per batch, or per expert: gate and up
  std::vector<PackedWeights> down_;  // per expert
};

namespace {

// Packs `count` matrices of n x k that are stored one after another.
std::vector<PackedWeights> PackAll(const Problem& problem, Isa isa, int count, int n, int k,
                                   const Buffer& w, const Buffer& scale) {
  const std::size_t matrix = BytesOf(problem.w, U(n) * U(k));
  const std::size_t scales = ScaleCount(problem.scaling, true, n, k) * ScaleBytes(problem.scaling);
  std::vector<PackedWeights> packed;
  for (std::size_t i = 0; i < U(count); ++i) {
    packed.emplace_back(isa, problem.w, problem.scaling, n, k,
                        RawWeights{w.data() + i * matrix, scale.data() + i * scales});
  }
  return packed;
}

std::vector<PackedWeights> CopyOf(const std::vector<PackedWeights>& from) {
  std::vector<PackedWeights> copy;
  for (const auto& weights : from) copy.push_back(weights.Copy());
  return copy;
}

}  // namespace

InputSet::InputSet(const Problem& problem, Isa isa, Operands operands) {
  if (problem.is_moe()) {
    const auto& moe = problem.moe;
    w_ = PackAll(problem, isa, moe.experts, 2 * moe.inter_dim, moe.model_dim, operands.w,
                 operands.w_scale);
    down_ = PackAll(problem, isa, moe.experts, moe.model_dim, moe.inter_dim, operands.down,
                    operands.down_scale);
    routing_ = std::move(operands.routing);
  } else {
    w_ = PackAll(problem, isa, problem.batch, problem.n, problem.k, operands.w, operands.w_scale);
  }
  a_ = std::move(operands.a);
  a_scale_ = std::move(operands.a_scale);
}

InputSet InputSet::Copy() const {
  InputSet copy;
  copy.a_ = a_.Copy();
  copy.a_scale_ = a_scale_.Copy();
  copy.routing_ = routing_;
  copy.w_ = CopyOf(w_);
  copy.down_ = CopyOf(down_);
  return copy;
}

std::size_t InputSet::bytes() const {
  std::size_t bytes = a_.size() + a_scale_.size();
  for (const auto& weights : w_) bytes += weights.bytes();
  for (const auto& weights : down_) bytes += weights.bytes();
  return bytes;
}

void InputSet::Run(const Problem& problem, Isa isa, const Config& config, int split_k,
                   Runners& runners, void* out) const {
  if (problem.is_moe()) return RunMoe(problem, isa, config, runners, out);
  GemmCall call;
  call.isa = isa;
  call.a = problem.a;
  call.out = problem.out;
  call.scaling = problem.scaling;
  call.m = problem.m;
  call.n = problem.n;
  call.k = problem.k;
  const std::size_t a_bytes = BytesOf(problem.a, U(problem.m) * U(problem.k));
  const std::size_t scale_bytes =
      ScaleCount(problem.scaling, false, problem.m, problem.k) * ScaleBytes(problem.scaling);
  const std::size_t out_bytes = BytesOf(problem.out, U(problem.m) * U(problem.n));
  for (std::size_t i = 0; i < w_.size(); ++i) {
    call.batch.push_back({a_.data() + i * a_bytes, a_scale_.data() + i * scale_bytes, &w_[i],
                          static_cast<std::byte*>(out) + i * out_bytes});
  }
  runners.gemm.Run(call, config, split_k);
}

void InputSet::RunMoe(const Problem& problem, Isa isa, const Config& config, Runners& runners,
                      void* out) const {
  MoeCall call;
  call.isa = isa;
  call.problem = &problem;
  call.x = a_.data();
  call.x_scale = a_scale_.as<float>();
  call.routing = &routing_;
  call.gate_up = &w_;
  call.down = &down_;
  call.out = static_cast<std::uint16_t*>(out);
  runners.moe.Run(call, config, runners.gemm);
}

}  // namespace tunehub::kernels::cpu

namespace tunehub::kernels {
namespace {

// All bits set is NaN in bf16 and float32, so it reveals elements that no kernel wrote.
constexpr int kPoison = 0xff;

}  // namespace

struct Workbench::State {
  Problem problem;
  WorkbenchOptions options;
  Reference reference;
  std::vector<cpu::InputSet> sets;
  Buffer output;
  cpu::Runners runners;
  std::size_t next_set = 0;

  void Run(std::size_t set, const Config& config, int split_k) {
    sets[set].Run(problem, options.machine.isa, config, split_k, runners, output.data());
  }
};

core::Result<Workbench> Workbench::Make(const Problem& problem, std::uint64_t seed) {
  WorkbenchOptions options;
  options.seed = seed;
  return Make(problem, options);
}

core::Result<Workbench> Workbench::Make(const Problem& problem, const WorkbenchOptions& options) {
  try {
    auto state = std::make_unique<State>();
    state->problem = problem;
    state->options = options;
    auto operands = MakeOperands(problem, options.seed, options.machine.cores);
    state->reference = MakeReference(problem, operands, options.reference_work, options.seed,
                                     options.machine.cores);
    state->sets.emplace_back(problem, options.machine.isa, std::move(operands));
    const std::size_t wanted =
        std::min(options.rotating_bytes != 0 ? options.rotating_bytes : 2 * LastLevelCacheBytes(),
                 kMaxRotatingBytes);
    const std::size_t each = std::max(state->sets.front().bytes(), std::size_t{1});
    const std::size_t count =
        std::clamp((wanted + each - 1) / each, std::size_t{1}, kMaxRotatingSets);
    while (state->sets.size() < count) state->sets.push_back(state->sets.front().Copy());
    state->output =
        Buffer(U(problem.batch) * U(problem.m) * U(problem.n) * kernels::BytesOf(problem.out, 1));
    return Workbench(std::move(state));
  } catch (const std::bad_alloc&) {
    return core::Error{"out_of_memory",
                       fmt::format("not enough memory for the operands of {}; they need {} bytes, "
                                   "and as many again to rotate and to pack",
                                   problem.family, MemoryBytes(problem))};
  }
}

Workbench::Workbench(std::unique_ptr<State> state) : state_(std::move(state)) {}
Workbench::Workbench(Workbench&&) noexcept = default;
Workbench& Workbench::operator=(Workbench&&) noexcept = default;
Workbench::~Workbench() = default;

const Problem& Workbench::problem() const {
  return state_->problem;
}
const Machine& Workbench::machine() const {
  return state_->options.machine;
}
std::size_t Workbench::input_sets() const {
  return state_->sets.size();
}
std::size_t Workbench::checked_rows() const {
  return state_->reference.rows.size();
}

core::Result<Check> Workbench::Verify(const Candidate& candidate) {
  const auto config = ConfigOf(problem(), candidate, machine());
  if (!config) return config.error();
  std::memset(state_->output.data(), kPoison, state_->output.size());
  const auto run = [&] { state_->Run(0, *config, candidate.split_k); };
  if (state_->options.around_run) {
    state_->options.around_run(run, {state_->output.data(), state_->output.size()});
  } else {
    run();
  }
  const auto& reference = state_->reference;
  return Compare(ValuesOfRows(problem(), state_->output, reference.rows), reference.values);
}

TimedCall Workbench::LaunchOf(const Candidate& candidate) {
  const auto config = ConfigOf(problem(), candidate, machine());
  return [this, config = *config, split_k = candidate.split_k](int) {
    auto& state = *state_;
    state.next_set = (state.next_set + 1) % state.sets.size();
    state.Run(state.next_set, config, split_k);
  };
}

double Workbench::TimeMicroseconds(const Candidate& candidate, int calls) {
  return Timer().TimeCalls(LaunchOf(candidate), 0, calls);
}

}  // namespace tunehub::kernels
