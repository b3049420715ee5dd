// One GEMM at one M on the GPU: its memory, and what the library launches on it.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "dispatch/tunehub_dispatch.h"
#include "kernels/gpu/device.h"
#include "kernels/gpu/input_sets.h"
#include "kernels/gpu/memory.h"
#include "kernels/gpu/stream.h"
#include "kernels/problem.h"
#include "kernels/reference.h"

namespace tunehub::example {

class GemmRun {
 public:
  // Asks the layer for both kernels and fills the memory. `driver` and `layer` must outlive it.
  // Errors: dispatch, those of InputSets.
  static core::Result<GemmRun> Make(const kernels::gpu::Driver& driver,
                                    const kernels::gpu::DeviceProperties& device,
                                    const kernels::Problem& problem, const th_layer& layer);

  const th_answer& standard() const { return standard_; }  // where nothing was tuned
  // Of the table; where it has no row, or one of another library's kernels, the default.
  const th_answer& tuned() const { return tuned_; }
  const th_answer& row() const { return row_; }  // what the table answers
  std::size_t sets() const { return sets_.count(); }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

  // Puts the kernel into the stream, on the operands number `set` % sets(). Errors: dispatch.
  core::Status Launch(const th_answer& kernel, std::size_t set,
                      const kernels::gpu::Memory& workspace, hipStream_t stream) const;
  // Runs it once and compares with float64. Errors: wrong_result, dispatch, those of the driver.
  core::Status Verify(const th_answer& kernel, const kernels::gpu::Memory& workspace,
                      kernels::gpu::Stream& stream);

 private:
  GemmRun(const kernels::Problem& problem, const th_layer& layer, kernels::gpu::InputSets sets,
          kernels::Reference reference)
      : problem_(problem),
        layer_(&layer),
        sets_(std::move(sets)),
        reference_(std::move(reference)) {}
  core::Status Ask();

  kernels::Problem problem_;
  const th_layer* layer_;
  kernels::gpu::InputSets sets_;
  kernels::Reference reference_;
  th_answer standard_{}, tuned_{}, row_{};
  std::size_t workspace_bytes_ = 0;
};

}  // namespace tunehub::example
