// From sums to the output: scales, rounding, stores.
#pragma once

#include "kernels/amd/args.h"
#include "kernels/amd/config.h"
#include "kernels/amd/vectors.h"

namespace tunehub::kernels::amd {

template <Element element>
struct SumType {
  using type = float;
};
template <>
struct SumType<Element::kInt8> {
  using type = int;
};
template <Element element>
using SumOf = typename SumType<element>::type;

// To nearest, ties to even; a NaN stays one.
TK_DEVICE unsigned short RoundToBf16(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<unsigned short>((bits >> 16) | 0x40U);
  }
  return static_cast<unsigned short>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

template <Spec spec>
class Output {
 public:
  using Number = SumOf<spec.element>;

  TK_DEVICE explicit Output(const GemmArgs& args) : args_(args) {}

  // The sums of columns n..n+3 of row m. Precondition: m < args.m.
  TK_DEVICE void Write(int m, int n, Vector<Number, 4> sums) const {
    if (n >= args_.n) return;
    const long matrix = long(BlockZ()) * args_.m * args_.n;
    const long at = matrix + long(m) * args_.n + n;
    const bool whole = args_.n % 4 == 0;  // then rows are aligned, and n + 3 is within
    const int count = Smaller(args_.n - n, 4);
    if (args_.out_kind == Out::kPartial) {
      const long slice = long(BlockY()) * args_.m * args_.n * BatchCount();
      WriteFour(static_cast<Number*>(args_.out) + slice + at, sums, whole, count);
      return;
    }
    Vector<float, 4> values;
    TK_UNROLL
    for (int e = 0; e < 4; ++e) values[e] = static_cast<float>(sums[e]);
    if constexpr (spec.scales == Scales::kRowColumn) Scale(m, n, count, values);
    if (args_.out_kind == Out::kF32) {
      WriteFour(static_cast<float*>(args_.out) + at, values, whole, count);
      return;
    }
    Vector<unsigned short, 4> rounded;
    TK_UNROLL
    for (int e = 0; e < 4; ++e) rounded[e] = RoundToBf16(values[e]);
    WriteFour(static_cast<unsigned short*>(args_.out) + at, rounded, whole, count);
  }

 private:
  TK_DEVICE static int Smaller(int x, int y) { return x < y ? x : y; }

  TK_DEVICE void Scale(int m, int n, int count, Vector<float, 4>& values) const {
    const float row = Load(args_.a_scale + long(BlockZ()) * args_.m + m);
    const float* const columns = args_.w_scale + long(BlockZ()) * args_.n + n;
    TK_UNROLL
    for (int e = 0; e < 4; ++e) {
      if (e < count) values[e] *= row * Load(columns + e);
    }
  }

  template <typename T>
  TK_DEVICE static void WriteFour(T* at, Vector<T, 4> four, bool whole, int count) {
    if (whole) {
      Store(reinterpret_cast<Vector<T, 4>*>(at), four);
      return;
    }
    TK_UNROLL
    for (int e = 0; e < 4; ++e) {
      if (e < count) Store(at + e, four[e]);
    }
  }

  TK_DEVICE int BatchCount() const { return args_.batch; }

  const GemmArgs& args_;
};

}  // namespace tunehub::kernels::amd
