// Converts sums to the output: scales, rounds and stores them.
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

// Rounds to nearest, ties to even. A NaN stays NaN.
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

  // Writes the sums of columns n to n + 3 of row m. args.n is a multiple of four, so the four
  // columns all exist or all do not, and each row is aligned. Precondition: m < args.m.
  TK_DEVICE void Write(int m, int n, Vector<Number, 4> sums) const {
    if (n >= args_.n) return;
    const long rows = long(BlockZ()) * args_.m + m;
    const long at = rows * args_.n + n;
    if (args_.out_kind == Out::kPartial) {
      const long slice = long(BlockY()) * args_.batch * args_.m * args_.n;
      Store(static_cast<Vector<Number, 4>*>(args_.out) + (slice + at) / 4, sums);
      return;
    }
    Vector<float, 4> values = __builtin_convertvector(sums, Vector<float, 4>);
    if constexpr (spec.scales == Scales::kRowColumn) {
      const auto* const columns = reinterpret_cast<const Vector<float, 4>*>(args_.w_scale);
      values *= Load(args_.a_scale + rows) * Load(columns + (long(BlockZ()) * args_.n + n) / 4);
    }
    if (args_.out_kind == Out::kF32) {
      Store(static_cast<Vector<float, 4>*>(args_.out) + at / 4, values);
      return;
    }
    Vector<unsigned short, 4> rounded;
    TK_UNROLL
    for (int e = 0; e < 4; ++e) rounded[e] = RoundToBf16(values[e]);
    Store(static_cast<Vector<unsigned short, 4>*>(args_.out) + at / 4, rounded);
  }

 private:
  const GemmArgs& args_;
};

}  // namespace tunehub::kernels::amd
