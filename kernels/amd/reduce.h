// Adds the sums of a split K in a fixed order, with one thread per element of the output. Then
// scales and rounds them.
#pragma once

#include "kernels/amd/output.h"

namespace tunehub::kernels::amd {

template <typename Number>
TK_DEVICE void ReduceSlices(const ReduceArgs& args) {
  const long elements = long(args.m) * args.n;
  const long i = long(BlockX()) * kReduceThreads + ThreadIndex();
  if (i >= elements) return;
  const long at = BlockZ() * elements + i;
  const Number* const partial = static_cast<const Number*>(args.partial);
  Number sum = 0;
  for (int slice = 0; slice < args.slices; ++slice) {
    sum += Load(partial + slice * args.batch * elements + at);
  }
  float value = static_cast<float>(sum);
  if (args.a_scale != nullptr) {
    const float row = Load(args.a_scale + long(BlockZ()) * args.m + i / args.n);
    value *= row * Load(args.w_scale + long(BlockZ()) * args.n + i % args.n);
  }
  if (args.out_kind == Out::kF32) {
    Store(static_cast<float*>(args.out) + at, value);
  } else {
    Store(static_cast<unsigned short*>(args.out) + at, RoundToBf16(value));
  }
}

}  // namespace tunehub::kernels::amd
