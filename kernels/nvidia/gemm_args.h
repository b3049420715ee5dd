// The arguments of a launch in this folder: one block of bytes, the same for host and device.
#pragma once

namespace tunehub::kernels::nvidia {

// A CUtensorMap: the copy engine's description of a matrix. Opaque here.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

struct GemmArgs {
  TensorMap a, w, out;   // out: bf16 only
  const float* a_scale;  // by row of all batches; or [m][scale_columns]; null: none
  // By column of the output, of all batches; or [ceil(n / 128)][scale_columns]; null: none.
  const float* w_scale;
  float* out_f32;            // if the output is float32; else null
  unsigned short* out_bf16;  // else this
  int batch, m, n;           // the batch is 1 with block scales
  int k_blocks;              // of 128 bytes
  int scale_columns;         // ceil(k / 128)
  int m_units, n_units;      // a unit: one or two tiles of a cluster along M or N
  int split_k;               // 1: K is not sliced; else a cluster's blocks have a slice each
  int group;                 // units along M before the next along N
};

}  // namespace tunehub::kernels::nvidia
