// The arguments of this folder's kernels: one block of bytes with the same layout on host and
// device.
#pragma once

namespace tunehub::kernels::nvidia {

// A CUtensorMap, which describes a matrix to the copy engine. This folder does not read its bytes.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

struct GemmArgs {
  TensorMap a, w, out;   // out: for bf16 output only
  const float* a_scale;  // per row, of all batches; or [m][scale_columns]; null: no scales
  // Per column of the output, of all batches; or [ceil(n / 128)][scale_columns]; null: no scales.
  const float* w_scale;
  float* out_f32;            // the output if it is float32; otherwise null
  unsigned short* out_bf16;  // the output if it is bf16; otherwise null
  int batch, m, n;           // batch: 1 with block scales
  int k_blocks;              // blocks of K, of 128 bytes each
  int scale_columns;         // ceil(k / 128)
  // numbers of units; a unit is the one or two tiles of a cluster along M or N
  int m_units, n_units;
  int split_k;  // 1: K is not sliced; else each block of a cluster computes a slice
  int group;    // number of units along M before the next step along N
};

}  // namespace tunehub::kernels::nvidia
