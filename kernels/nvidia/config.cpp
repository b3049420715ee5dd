#include "kernels/nvidia/config.h"

#include <fmt/core.h>

#include <array>

#include "core/row/row.h"

namespace tunehub::kernels::nvidia {
namespace {

#define TK_SM90(block_m, block_n, stages, cluster_m, cluster_n, group) \
  Config{block_m, block_n, stages, cluster_m, cluster_n, group, false},
#define TK_SM90_T(block_m, block_n, stages, group) \
  Config{block_m, block_n, stages, 1, 1, group, true},

constexpr Config kA8w8[] = {
#include "kernels/nvidia/table/a8w8.inc"
};
constexpr Config kA8w8Blockscale[] = {
#include "kernels/nvidia/table/a8w8_blockscale.inc"
};
constexpr Config kBatchedA8w8[] = {
#include "kernels/nvidia/table/batched_a8w8.inc"
};
constexpr Config kBatchedBf16[] = {
#include "kernels/nvidia/table/batched_bf16.inc"
};
constexpr Config kBf16[] = {
#include "kernels/nvidia/table/bf16.inc"
};
#undef TK_SM90_T
#undef TK_SM90

struct Table {
  std::string_view family;
  std::span<const Config> rows;
};
constexpr std::array<Table, 5> kTables = {{{"a8w8", kA8w8},
                                           {"a8w8_blockscale", kA8w8Blockscale},
                                           {"batched_a8w8", kBatchedA8w8},
                                           {"batched_bf16", kBatchedBf16},
                                           {"bf16", kBf16}}};

}  // namespace

std::span<const Config> RowsOf(std::string_view family) {
  for (const Table& table : kTables) {
    if (table.family == family) return table.rows;
  }
  return {};
}

std::string KernelName(std::string_view family, const Config& config) {
  return fmt::format(
      "{}{}_sm90_{}x{}x{}_s{}_c{}x{}_g{}{}", core::kOwnKernelPrefix, family, config.block_m,
      config.block_n, family.ends_with("bf16") ? kRowBytes / 2 : kRowBytes, config.stages,
      config.cluster_m, config.cluster_n, config.group, config.transposed ? "_t" : "");
}

}  // namespace tunehub::kernels::nvidia
