// One problem on this machine: inputs, the reference output, and functions to run and time any
// candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "kernels/config.h"
#include "kernels/cpu/catalog.h"
#include "kernels/problem.h"
#include "kernels/reference.h"
#include "kernels/timer.h"

namespace tunehub::kernels {

struct WorkbenchOptions {
  std::uint64_t seed = 1;
  Machine machine = ThisMachine();
  // The least total size of all rotating input sets, at most kMaxRotatingBytes and
  // kMaxRotatingSets. 0: twice this machine's last-level cache. So, as in a layer of a model, a
  // call does not find its inputs in the cache.
  std::size_t rotating_bytes = 0;
  // The most multiply-adds of the float64 reference. For a larger problem, the reference contains
  // only some rows.
  std::uint64_t reference_work = 400'000'000;
  // For tests: replaces Verify's run. It may skip `run` or change the output.
  std::function<void(const std::function<void()>& run, std::span<std::byte> output)> around_run;
};

inline constexpr std::size_t kMaxRotatingBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxRotatingSets = 512;

// Inputs have a normal distribution around zero. Timings do not include the packing of weights,
// because an engine packs weights once, when it loads a model. They include the packing of
// activations.
//
// The reference is independent of the kernels: plain loops in float64 over all of K. If all rows
// would cost more than `reference_work`, the reference contains the first, the last, and random
// rows. Verify compares these rows. Verify also checks that the candidate wrote every element of
// all rows.
class Workbench {
 public:
  // Errors: out_of_memory, with the number of bytes.
  static core::Result<Workbench> Make(const Problem& problem, const WorkbenchOptions& options);
  static core::Result<Workbench> Make(const Problem& problem, std::uint64_t seed);

  Workbench(const Workbench&) = delete;
  Workbench& operator=(const Workbench&) = delete;
  Workbench(Workbench&&) noexcept;
  Workbench& operator=(Workbench&&) noexcept;
  ~Workbench();

  const Problem& problem() const;
  const Machine& machine() const;
  std::size_t input_sets() const;
  // The number of output rows (of all batches) in the reference.
  std::size_t checked_rows() const;

  // Runs the candidate once on the first input set, with an output filled with NaN. Then compares
  // the output with the reference. Errors: as ConfigOf.
  core::Result<Check> Verify(const Candidate& candidate);

  // The mean of `calls` calls over the rotating sets, in microseconds, without warm-up.
  // Precondition: the candidate is one of Candidates(problem(), machine()).
  double TimeMicroseconds(const Candidate& candidate, int calls);

  // Returns the same call for a Timer. Do not move the workbench while the Timer uses it.
  TimedCall LaunchOf(const Candidate& candidate);

 private:
  struct State;
  explicit Workbench(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tunehub::kernels
