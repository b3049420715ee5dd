// What the copy engine is told of a row-major matrix.
#pragma once

#include "core/result.h"
#include "kernels/format.h"
#include "kernels/gpu/driver.h"
#include "kernels/nvidia/gemm_args.h"

namespace tunehub::kernels::nvidia {

struct MatrixBox {
  Format format;  // one or two bytes an element
  void* at;
  int rows, columns;
  unsigned box_rows, box_columns;  // of one copy; box_columns are 128 bytes
};

// Errors: those of the driver, naming the matrix.
core::Status MakeTensorMap(const gpu::Driver& driver, const MatrixBox& matrix, TensorMap& map);

}  // namespace tunehub::kernels::nvidia
