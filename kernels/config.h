// The parameters of a GEMM kernel's instance (a row of table/*.inc and the number of threads), and
// the kernel's name.
//
// To add to the CPU's kernels:
// * Blocks or a loop order: add a row at the end of the family's cpu/table/*.inc. The row
//   determines the kernel's name. The tests run it in each build that the CPU supports.
// * A register tile: add a line to cpu/table/tiles.inc.
// * A format: add an atom in cpu/atoms.h, packed rows in cpu/pack_rows.h, a decoder in format.h
//   with a test against the format's specification, and the reference in reference.cpp. The
//   reference follows the format's definition, and shares only format.h with the kernel.
// * A family: add a rule in problem.cpp, a table, its line in cpu/catalog.cpp, and its problems in
//   tests/unit/kernels/instances_test.cpp.
// The target kernels_tests is one static program with the kernels' tests, for a CPU that differs
// from the build machine's. Run it there with
// --gtest_filter='-KernelProblem*:KernelsGpuDriver.every*'. The filter leaves out tests that read
// family files or open a shared library.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tunehub::kernels {

// The libtype column of every row that names a kernel of this catalog.
inline constexpr const char* kLibtype = "tunehub";

struct Candidate {
  std::string kernel_name;  // begins with core::kOwnKernelPrefix
  int kernel_id = 0;        // index of its row in the family's table
  // number of slices of K, whose sums are added at the end; 0: K is not sliced
  int split_k = 0;

  bool operator==(const Candidate&) const = default;
};

// The inner loop of a block.
enum class Order {
  kColumnsOuter,  // "nm": a panel of weights stays in the L1 cache while the rows change
  kRowsOuter,     // "mn": a tile of rows stays in the L1 cache while the panels of weights change
};

// The dimension that is divided among the threads.
enum class Share { kColumns, kRows };  // "tn", "tm"

struct Config {
  int threads = 1;
  // Rows, columns and K of a block. A block of A and a block of W together should fit into the L2
  // cache. block_k is 0 if a block covers all of K; then the kernel stores no partial sums.
  int block_m = 0, block_n = 0, block_k = 0;
  // The register tile: rows, and vectors of the build's width (4, 8 or 16 columns).
  int tile_m = 0, tile_v = 0;
  Order order = Order::kColumnsOuter;
  Share share = Share::kColumns;

  bool operator==(const Config&) const = default;
};

// The fields of the name have CK's order:
// "tk_<kernel>_<threads>x<block_m>x<block_n>x<block_k>_r<tile_m>x<tile_v>_<order>_<share>", such as
// "tk_a8w8_2x96x512x512_r6x2_nm_tn". `kernel` is the family's name.
std::string KernelName(std::string_view kernel, const Config& config);

struct NamedConfig {
  std::string kernel;
  Config config;

  bool operator==(const NamedConfig&) const = default;
};

// Reads a kernel's name. Returns nothing unless KernelName writes exactly this text.
std::optional<NamedConfig> ParseKernelName(std::string_view name);

}  // namespace tunehub::kernels
