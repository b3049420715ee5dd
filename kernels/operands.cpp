#include "kernels/operands.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

namespace tunehub::kernels {
namespace {

constexpr std::size_t kTableSize = 1 << 16;  // one entry for each 16-bit value

// Returns four draws per call, because matrices have tens of millions of elements. Source: Steele,
// Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix {
 public:
  // `skipped`: how many calls of Next to skip.
  explicit SplitMix(std::uint64_t seed, std::uint64_t skipped = 0)
      : state_(seed + skipped * kStep) {}
  std::uint64_t Next() {
    std::uint64_t z = (state_ += kStep);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // 0.5..1.5
  float Scale() { return 0.5F + static_cast<float>(Next() >> 40) * 0x1p-24F; }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;

  std::uint64_t state_;
};

// A format's standard deviation. Its largest value is four times as large.
constexpr float kInt8Deviation = 32, kE4m3Deviation = 112, kE4m3FnuzDeviation = 60,
                kE2m1Deviation = 2;

std::uint8_t NearestE2m1(float value) {
  std::uint8_t nearest = 0;
  for (std::uint8_t code = 1; code < 16; ++code) {
    if (std::fabs(FromE2m1(code) - value) < std::fabs(FromE2m1(nearest) - value)) nearest = code;
  }
  return nearest;
}

std::uint16_t CodeOf(Format format, float normal) {
  switch (format) {
    case Format::kInt8:
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(
          std::clamp(std::nearbyint(normal * kInt8Deviation), -128.F, 127.F)));
    case Format::kE4m3:
      return ToE4m3(normal * kE4m3Deviation);
    case Format::kE4m3Fnuz:
      return ToE4m3Fnuz(normal * kE4m3FnuzDeviation);
    case Format::kE2m1:  // two per byte: the table contains nibbles, and Fill pairs them
      return NearestE2m1(normal * kE2m1Deviation);
    case Format::kBf16:
    case Format::kF32:
      break;
  }
  return ToBf16(normal);
}

// The codes of kTableSize draws from a normal distribution.
std::vector<std::uint16_t> CodeTable(Format format, float deviation, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<std::uint16_t> codes(kTableSize);
  for (auto& code : codes) code = CodeOf(format, normal(engine));
  return codes;
}

constexpr std::size_t kDraws = 4;            // of a call of SplitMix::Next
constexpr std::size_t kPerThread = 1 << 18;  // elements; fewer are faster without another thread

// Several threads fill the parts. The bytes do not depend on the number of threads.
template <typename T, typename Draw>
void FillWith(T* out, std::size_t count, std::uint64_t seed, int threads, const Draw& draw) {
  const std::size_t most = std::min(U(threads), count / kPerThread + 1);
  const std::size_t part = (count / most / kDraws + 1) * kDraws;
  const auto fill = [=, &draw](std::size_t thread) {
    const std::size_t begin = std::min(thread * part, count), end = std::min(begin + part, count);
    SplitMix random(seed, begin / kDraws);
    for (std::size_t i = begin; i < end;) {
      std::uint64_t bits = random.Next();
      for (std::size_t j = 0; j < kDraws && i < end; ++j, ++i, bits >>= 16)
        out[i] = static_cast<T>(draw(bits));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t thread = 1; thread < most; ++thread) others.emplace_back(fill, thread);
  fill(0);
}

// `deviation` is 1, or less if the format has no scale to carry it.
Buffer RandomElements(Format format, std::size_t count, std::uint64_t seed, int threads,
                      float deviation = 1) {
  const auto codes = CodeTable(format, deviation, seed);
  Buffer buffer(BytesOf(format, count));
  const auto draw = [&](std::uint64_t bits) { return codes[bits % kTableSize]; };
  if (format == Format::kBf16) {
    FillWith(buffer.as<std::uint16_t>(), count, seed, threads, draw);
  } else if (format == Format::kE2m1) {
    FillWith(buffer.as<std::uint8_t>(), count / 2, seed, threads, [&](std::uint64_t bits) {
      // The 16 bits choose one nibble. The table's next entry is the second nibble.
      return codes[bits % kTableSize] | codes[(bits + 1) % kTableSize] << 4;
    });
  } else {
    FillWith(buffer.as<std::uint8_t>(), count, seed, threads, draw);
  }
  return buffer;
}

Buffer RandomScales(const Problem& problem, Format format, std::size_t count, std::uint64_t seed,
                    float factor = 1) {
  SplitMix random(seed ^ 0x5ca1eU);
  Buffer buffer(count * ScaleBytes(problem.scaling));
  if (problem.scaling == Scaling::kMx32) {
    // 2^-3..2^0
    for (std::size_t i = 0; i < count; ++i) {
      buffer.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(124 + random.Next() % 4);
    }
    return buffer;
  }
  const float deviation = format == Format::kInt8       ? kInt8Deviation
                          : format == Format::kE4m3Fnuz ? kE4m3FnuzDeviation
                                                        : kE4m3Deviation;
  for (std::size_t i = 0; i < count; ++i)
    buffer.as<float>()[i] = random.Scale() * factor / deviation;
  return buffer;
}

Routing RandomRouting(const MoeShape& moe, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<int> experts(U(moe.experts));
  std::iota(experts.begin(), experts.end(), 0);
  std::uniform_real_distribution<float> weight(0.1F, 1);
  Routing routing;
  for (int token = 0; token < moe.tokens; ++token) {
    float sum = 0;
    for (int i = 0; i < moe.topk; ++i) {
      // The first steps of a Fisher-Yates shuffle, one for each chosen expert.
      std::uniform_int_distribution<int> rest(i, moe.experts - 1);
      std::swap(experts[U(i)], experts[U(rest(engine))]);
      routing.experts.push_back(experts[U(i)]);
      routing.weights.push_back(weight(engine));
      sum += routing.weights.back();
    }
    std::for_each(routing.weights.end() - moe.topk, routing.weights.end(),
                  [sum](float& each) { each /= sum; });
  }
  return routing;
}

Operands MakeMoeOperands(const Problem& problem, std::uint64_t seed, int threads) {
  const auto& moe = problem.moe;
  // Makes matrices of rows x k. An element times its scale has a standard deviation of 1 / sqrt(k).
  const auto weights = [&](int rows, int k, std::uint64_t salt, Buffer& w, Buffer& scale) {
    const std::size_t count = U(moe.experts) * U(rows);
    const float deviation = 1 / std::sqrt(static_cast<float>(k));
    const bool scaled = problem.scaling != Scaling::kNone;
    w = RandomElements(problem.w, count * U(k), seed * 8 + salt, threads, scaled ? 1 : deviation);
    if (scaled) scale = RandomScales(problem, problem.w, count, seed * 8 + salt, deviation);
  };
  Operands operands;
  operands.a = RandomElements(problem.a, U(moe.tokens) * U(moe.model_dim), seed * 8, threads);
  if (problem.scaling != Scaling::kNone) {
    operands.a_scale = RandomScales(problem, problem.a, U(moe.tokens), seed * 8);
  }
  weights(2 * moe.inter_dim, moe.model_dim, 1, operands.w, operands.w_scale);
  weights(moe.model_dim, moe.inter_dim, 2, operands.down, operands.down_scale);
  operands.routing = RandomRouting(moe, seed);
  return operands;
}

}  // namespace

std::size_t ScaleBytes(Scaling scaling) {
  return scaling == Scaling::kMx32 ? 1 : 4;
}

std::size_t ScaleCount(Scaling scaling, bool of_weights, int rows, int k) {
  switch (scaling) {
    case Scaling::kNone:
      return 0;
    case Scaling::kRowColumn:
      return U(rows);
    case Scaling::kBlock128:
      return (of_weights ? U(CeilDivide(rows, 128)) : U(rows)) * U(CeilDivide(k, 128));
    case Scaling::kMx32:
      return U(rows) * U(CeilDivide(k, 32));
  }
  return 0;
}

Operands MakeOperands(const Problem& problem, std::uint64_t seed, int threads) {
  if (problem.is_moe()) return MakeMoeOperands(problem, seed, threads);
  const std::size_t batch = U(problem.batch);
  const auto scales = [&](Format format, bool of_weights, int rows, std::uint64_t salt) {
    const auto count = batch * ScaleCount(problem.scaling, of_weights, rows, problem.k);
    return RandomScales(problem, format, count, seed * 4 + salt);
  };
  Operands operands;
  operands.a = RandomElements(problem.a, batch * U(problem.m) * U(problem.k), seed * 4, threads);
  operands.w =
      RandomElements(problem.w, batch * U(problem.n) * U(problem.k), seed * 4 + 1, threads);
  operands.a_scale = scales(problem.a, false, problem.m, 2);
  operands.w_scale = scales(problem.w, true, problem.n, 3);
  return operands;
}

}  // namespace tunehub::kernels
