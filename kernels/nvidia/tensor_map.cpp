#include "kernels/nvidia/tensor_map.h"

#include <fmt/core.h>

namespace tunehub::kernels::nvidia {
namespace {

// Of cuda.h: CU_TENSOR_MAP_DATA_TYPE_UINT8 and _BFLOAT16, _SWIZZLE_128B, _L2_PROMOTION_L2_256B.
constexpr int kBytes = 0, kBfloat16 = 9, kNoInterleave = 0, kSwizzle128 = 3, kPromotion256 = 3,
              kZeros = 0;

}  // namespace

core::Status MakeTensorMap(const gpu::Driver& driver, const MatrixBox& matrix, TensorMap& map) {
  const bool wide = matrix.format == Format::kBf16;
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(matrix.columns),
                                 static_cast<std::uint64_t>(matrix.rows),
                                 static_cast<std::uint64_t>(matrix.batch)};
  const std::uint64_t row_bytes = sizes[0] * (wide ? 2 : 1);
  const std::uint64_t pitches[] = {row_bytes, row_bytes * sizes[1]};
  const unsigned box[] = {matrix.box_columns, matrix.box_rows, 1};
  const unsigned steps[] = {1, 1, 1};
  const int code =
      driver.cuda_tensor_map(&map, wide ? kBfloat16 : kBytes, 3, matrix.at, sizes, pitches, box,
                             steps, kNoInterleave, kSwizzle128, kPromotion256, kZeros);
  return driver.Check(code, fmt::format("describing {} matrices of {} x {} to the copy engine",
                                        matrix.batch, matrix.rows, matrix.columns));
}

}  // namespace tunehub::kernels::nvidia
