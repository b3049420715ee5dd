#include "examples/dispatch_gemms/sequence.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/timer.h"

namespace tunehub::example {
namespace {

using kernels::gpu::Memory;
using kernels::gpu::Stream;

constexpr std::size_t kFewestCalls = 20;  // in one graph: events are half a microsecond apart

}  // namespace

core::Result<Sequence> Sequence::Make(const kernels::gpu::Driver& driver,
                                      std::vector<GemmRun> runs) {
  std::size_t bytes = 0;
  for (const GemmRun& run : runs) bytes = std::max(bytes, run.workspace_bytes());
  auto stream = Stream::Make(driver);
  if (!stream.ok()) return stream.error();
  auto workspace = Memory::Make(driver, bytes);
  if (!workspace.ok()) return workspace.error();
  return Sequence(std::move(runs), *std::move(stream), *std::move(workspace));
}

Sequence::Sequence(std::vector<GemmRun> runs, std::unique_ptr<Stream> stream, Memory workspace)
    : runs_(std::move(runs)), stream_(std::move(stream)), workspace_(std::move(workspace)) {}

core::Status Sequence::Verify() {
  for (GemmRun& run : runs_) {
    for (const Kernel kernel : {&GemmRun::standard, &GemmRun::tuned}) {
      auto status = run.Verify((run.*kernel)(), workspace_, *stream_);
      if (!status.ok()) return status;
    }
  }
  return core::Ok();
}

core::Result<Times> Sequence::TimeOne(std::size_t index, int repetitions) {
  return Time(std::span(runs_).subspan(index, 1), repetitions);
}

core::Result<Times> Sequence::TimeAll(int repetitions) {
  return Time(runs_, repetitions);
}

core::Result<Times> Sequence::Time(std::span<const GemmRun> runs, int repetitions) {
  std::size_t calls = kFewestCalls;
  for (const GemmRun& run : runs) calls = std::max(calls, run.sets());
  const auto standard = Capture(runs, &GemmRun::standard, calls);
  if (!standard.ok()) return standard.error();
  const auto tuned = Capture(runs, &GemmRun::tuned, calls);
  if (!tuned.ok()) return tuned.error();
  const std::array<const kernels::gpu::Graph*, 2> graphs = {standard->get(), tuned->get()};
  std::array<kernels::Samples, 2> samples;
  // In turn, so that a change of the clock meets both; the first turn is the warm-up.
  for (int turn = 0; turn <= repetitions; ++turn) {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const auto us = stream_->Time(*graphs[i]);
      if (!us.ok()) return us.error();
      if (turn > 0) samples[i].us.push_back(*us / static_cast<double>(calls));
    }
  }
  return Times{samples[0].median(), samples[1].median()};
}

core::Result<std::unique_ptr<kernels::gpu::Graph>> Sequence::Capture(std::span<const GemmRun> runs,
                                                                     Kernel kernel,
                                                                     std::size_t calls) {
  return stream_->Capture([&](hipStream_t stream) -> core::Status {
    for (std::size_t call = 0; call < calls; ++call) {
      for (const GemmRun& run : runs) {
        auto status = run.Launch((run.*kernel)(), call, workspace_, stream);
        if (!status.ok()) return status;
      }
    }
    return core::Ok();
  });
}

}  // namespace tunehub::example
