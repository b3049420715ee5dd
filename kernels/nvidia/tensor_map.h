// What the copy engine is told of row-major matrices behind one another.
#pragma once

#include "core/base/result.h"
#include "kernels/format.h"
#include "kernels/gpu/driver.h"
#include "kernels/nvidia/gemm_args.h"

namespace tunehub::kernels::nvidia {

struct MatrixBox {
  Format format;  // one or two bytes an element
  void* at;
  int batch, rows, columns;
  unsigned box_rows, box_columns;  // of one copy; box_columns are 128 bytes
};

// Errors: those of the driver, naming the matrix.
core::Status MakeTensorMap(const gpu::Driver& driver, const MatrixBox& matrix, TensorMap& map);

}  // namespace tunehub::kernels::nvidia
