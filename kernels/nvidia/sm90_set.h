// NVIDIA's kernels for compute capability 9.0 (H100, H200).
//
// To add a tile: add a row at the end of the family's table/*.inc. The build compiles it to
// build/release/generated/nvidia/*.ptx. A test checks that it fits into shared memory.
// To add a family: add a table, its line in CMakeLists.txt, and its lines in sm90_set.cpp.
// Then run on such a GPU: `tunehub-agent selftest --device gpu`, and `tests/bench/run gpu`, which
// also times cuBLASLt. Check the PTX between the matrix products and their sums. An index
// computation there for each block of K cost 6 % of the speed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "kernels/format.h"
#include "kernels/gpu/driver.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/nvidia/gemm_args.h"
#include "kernels/nvidia/gemm_layout.h"

namespace tunehub::kernels::nvidia {

// A compiled instance of this build, as PTX. NVIDIA's driver compiles the PTX when it loads the
// code.
struct Code {
  std::string_view function;  // the instance's name: format, scales, tile, stages, cluster
  std::string_view ptx;       // a zero byte follows
};

// Empty if the build had no compiler for PTX.
std::span<const Code> AllCode();

// Row-major matrices, one after another, in the form that the copy engine accepts.
struct MatrixBox {
  Format format;  // with one or two bytes per element
  void* at;
  int batch, rows, columns;
  unsigned box_rows, box_columns;  // size of one copy; box_columns have 128 bytes
};

// Errors: the driver's errors, which name the matrix.
core::Status MakeTensorMap(const gpu::Driver& driver, const MatrixBox& matrix, TensorMap& map);

class Sm90Set : public gpu::KernelSet {
 public:
  bool Serves(const gpu::DeviceProperties& device) const override;
  std::string Chips() const override;
  std::vector<std::string> Names(std::string_view family,
                                 const gpu::DeviceProperties& device) const override;
  std::vector<Candidate> Candidates(const Problem& problem,
                                    const gpu::DeviceProperties& device) const override;
  std::size_t WorkspaceBytes(const Problem& problem, const Candidate& candidate,
                             const gpu::DeviceProperties& device) const override;
  core::Result<gpu::Launches> Plan(const Problem& problem, const Candidate& candidate,
                                   const gpu::DeviceProperties& device, const gpu::Driver& driver,
                                   const gpu::Addresses& addresses) const override;
};

struct Sm90Config {
  int block_m = 0, block_n = 0;  // the tile of a block
  int stages = 0;                // number of tiles of A and W in flight at one time
  // Two blocks may compute two tiles together. 2 x 1 tiles share W's tile; 1 x 2 tiles share A's
  // tile.
  int cluster_m = 1, cluster_n = 1;
  int group = 8;  // number of units along M before the next step along N
  // true: computes W . A^T, so that the few rows of A fill the tensor cores' columns
  bool transposed = false;

  constexpr int cluster() const { return cluster_m * cluster_n; }
  bool operator==(const Sm90Config&) const = default;
};

// The rows of a family's table; empty if no kernel in this folder computes the family.
std::span<const Sm90Config> RowsOf(std::string_view family);

// "tk_a8w8_sm90_128x256x128_s4_c2x1_g8": tile, stages, cluster, group; then "_t": transposed.
std::string KernelName(std::string_view family, const Sm90Config& config);

}  // namespace tunehub::kernels::nvidia
