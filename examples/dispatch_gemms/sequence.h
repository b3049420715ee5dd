// The GEMMs of one layer at one M, run one after the other on one stream.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "examples/dispatch_gemms/gemm_run.h"
#include "kernels/gpu/memory.h"
#include "kernels/gpu/stream.h"

namespace tunehub::example {

struct Times {
  double standard = 0, tuned = 0;  // microseconds, by the device's events
};

class Sequence {
 public:
  // `driver` must outlive it. Errors: those of the driver.
  static core::Result<Sequence> Make(const kernels::gpu::Driver& driver, std::vector<GemmRun> runs);

  const std::vector<GemmRun>& runs() const { return runs_; }

  // Runs every kernel once, which also loads it. Errors: those of GemmRun::Verify.
  core::Status Verify();
  // One call of GEMM `index`; one of all of them. The median of `repetitions`, with default and
  // with tuned kernels in turn. Precondition: Verify. Errors: dispatch, those of the driver.
  core::Result<Times> TimeOne(std::size_t index, int repetitions);
  core::Result<Times> TimeAll(int repetitions);

 private:
  // Which of a GEMM's two kernels.
  using Kernel = const th_answer& (GemmRun::*)() const;

  Sequence(std::vector<GemmRun> runs, std::unique_ptr<kernels::gpu::Stream> stream,
           kernels::gpu::Memory workspace);
  core::Result<Times> Time(std::span<const GemmRun> runs, int repetitions);
  core::Result<std::unique_ptr<kernels::gpu::Graph>> Capture(std::span<const GemmRun> runs,
                                                             Kernel kernel, std::size_t calls);

  std::vector<GemmRun> runs_;
  std::unique_ptr<kernels::gpu::Stream> stream_;
  kernels::gpu::Memory workspace_;  // of all, as they run one after the other
};

}  // namespace tunehub::example
