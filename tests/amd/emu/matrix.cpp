#include "tests/amd/emu/matrix.h"

#include <cstring>

#include "kernels/buffer.h"
#include "kernels/format.h"

namespace tunehub::kernels::emu {
namespace {

using amd::Arch;
using amd::Element;
using amd::kChunk;
using amd::kWave;

constexpr int kMaxAtom = 32, kMaxK = 64;

using Values = std::array<float, 256>;

const Values& Fp8Values(Arch arch) {
  const auto make = [](float (*decode)(std::uint8_t)) {
    Values values;
    for (unsigned code = 0; code < 256; ++code)
      values[code] = decode(static_cast<std::uint8_t>(code));
    return values;
  };
  static const Values ocp = make(FromE4m3), fnuz = make(FromE4m3Fnuz);
  return arch == Arch::kGfx942 ? fnuz : ocp;
}

template <typename Number>
Number Decode(const MatrixShape& shape, const std::byte* at) {
  switch (shape.element) {
    case Element::kInt8:
      return static_cast<Number>(std::to_integer<std::int8_t>(*at));
    case Element::kFp8:
      return static_cast<Number>(Fp8Values(shape.arch)[std::to_integer<std::uint8_t>(*at)]);
    case Element::kBf16:
      break;
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return static_cast<Number>(FromBf16(bits));
}

template <typename Number>
struct Wave {
  Number first[kMaxAtom][kMaxK], second[kMaxK][kMaxAtom];  // [row][k], [k][row]
  Number sums[kMaxAtom][kMaxAtom];
};

template <typename Number>
void Gather(const MatrixShape& shape, const Lanes& lanes, int instruction, Wave<Number>& wave) {
  const int elements = ElementsPerLane(shape), bytes = amd::BytesOf(shape.element);
  for (int lane = 0; lane < kWave; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const auto [row, k] = OperandAt(shape, lane, i);
      const auto offset = U((instruction * elements + i) * bytes);
      wave.first[row][k] = Decode<Number>(shape, lanes.first[U(lane)] + offset);
      wave.second[k][row] = Decode<Number>(shape, lanes.second[U(lane)] + offset);
    }
  }
}

template <int atom, typename Number>
void Add(int all_k, Wave<Number>& wave) {
  for (int i = 0; i < atom; ++i) {
    for (int k = 0; k < all_k; ++k) {
      const Number x = wave.first[i][k];
      for (int j = 0; j < atom; ++j) wave.sums[i][j] += x * wave.second[k][j];
    }
  }
}

template <typename Number, typename Copy>
void EachSum(int atom, const Lanes& lanes, const Copy& copy) {
  for (int lane = 0; lane < kWave; ++lane) {
    for (int i = 0; i < atom * atom / kWave; ++i) {
      const auto [row, column] = SumAt(atom, lane, i);
      copy(static_cast<Number*>(lanes.sums[U(lane)])[i], row, column);
    }
  }
}

template <typename Number>
void MultiplyAs(const MatrixShape& shape, const Lanes& lanes) {
  static thread_local Wave<Number> wave;
  const int elements = ElementsPerLane(shape);
  const int k = elements * kWave / shape.atom;
  EachSum<Number>(shape.atom, lanes,
                  [](Number& sum, int row, int column) { wave.sums[row][column] = sum; });
  for (int i = 0; i < kChunk / (elements * amd::BytesOf(shape.element)); ++i) {
    Gather(shape, lanes, i, wave);
    shape.atom == 32 ? Add<32>(k, wave) : Add<16>(k, wave);
  }
  EachSum<Number>(shape.atom, lanes,
                  [](Number& sum, int row, int column) { sum = wave.sums[row][column]; });
}

}  // namespace

int ElementsPerLane(const MatrixShape& shape) {
  switch (shape.element) {
    case Element::kBf16:
      return shape.arch == Arch::kGfx950 ? 8 : 4;
    case Element::kInt8:
      return shape.arch == Arch::kGfx90a ? 4 : shape.arch == Arch::kGfx942 ? 8 : 16;
    case Element::kFp8:
      break;
  }
  return 8;
}

Position OperandAt(const MatrixShape& shape, int lane, int index) {
  const int group = lane / shape.atom;
  return {lane % shape.atom, group * ElementsPerLane(shape) + index};
}

Position SumAt(int atom, int lane, int index) {
  const int groups = kWave / atom;
  const int quad = index / 4 * groups + lane / atom;  // four neighbouring rows
  return {quad * 4 + index % 4, lane % atom};
}

void MultiplyChunks(const MatrixShape& shape, const Lanes& lanes) {
  if (shape.element == Element::kInt8) {
    MultiplyAs<std::int32_t>(shape, lanes);
  } else {
    MultiplyAs<float>(shape, lanes);
  }
}

}  // namespace tunehub::kernels::emu
