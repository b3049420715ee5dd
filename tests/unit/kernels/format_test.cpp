// Compares the decoders with a second implementation of the formats' definitions. Compares the
// micro-kernels' own decoding with the decoders.
#include "kernels/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/gemm.h"

namespace tunehub::kernels {
namespace {

// OCP "8-bit Floating Point Specification", table 1, E4M3: S.EEEE.MMM read bit by bit.
double E4m3ByBits(unsigned code) {
  const double sign = (code & 0x80U) != 0 ? -1 : 1;
  double exponent = 0, fraction = 0;
  for (unsigned bit = 3; bit < 7; ++bit) exponent += (code >> bit & 1U) * std::pow(2, bit - 3);
  for (unsigned bit = 0; bit < 3; ++bit) fraction += (code >> bit & 1U) * std::pow(2, bit) / 8;
  if (exponent == 15 && fraction == 0.875) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * fraction * std::pow(2, -6);
  return sign * (1 + fraction) * std::pow(2, exponent - 7);
}

TEST(KernelFormats, e4m3_is_what_the_specification_says) {
  for (unsigned code = 0; code < 256; ++code) {
    const double expected = E4m3ByBits(code);
    const float value = FromE4m3(static_cast<std::uint8_t>(code));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
    } else {
      EXPECT_EQ(value, expected) << code;
    }
  }
  EXPECT_EQ(FromE4m3(0x7e), 448);
  EXPECT_EQ(FromE4m3(0x01), 0x1p-9F);
}

TEST(KernelFormats, e4m3_rounds_to_the_nearest_and_ties_to_even) {
  // Every value of the format, and the middle between neighbours.
  for (unsigned code = 0; code < 0x7e; ++code) {
    const auto low = static_cast<std::uint8_t>(code), high = static_cast<std::uint8_t>(code + 1);
    const float middle = (FromE4m3(low) + FromE4m3(high)) / 2;
    EXPECT_EQ(ToE4m3(FromE4m3(low)), low);
    EXPECT_EQ(ToE4m3(-FromE4m3(low)), low | 0x80);
    EXPECT_EQ(ToE4m3(middle), code % 2 == 0 ? low : high) << code;
    EXPECT_EQ(ToE4m3(std::nextafter(middle, 0.0F)), low) << code;
    EXPECT_EQ(ToE4m3(std::nextafter(middle, 1e9F)), high) << code;
  }
  EXPECT_EQ(ToE4m3(1e6F), 0x7e) << "saturates";
  EXPECT_EQ(ToE4m3(-1e6F), 0xfe);
  EXPECT_TRUE(std::isnan(FromE4m3(ToE4m3(std::nanf("")))));
}

// The ISA document of CDNA 3 defines e4m3fnuz. Each exponent is one lower than OCP's. 0x80 is NaN,
// and 0x7f is a number.
TEST(KernelFormats, e4m3fnuz_is_half_of_e4m3_with_another_end) {
  for (unsigned code = 0; code < 256; ++code) {
    const float value = FromE4m3Fnuz(static_cast<std::uint8_t>(code));
    if (code == 0x80) {
      EXPECT_TRUE(std::isnan(value));
    } else if ((code & 0x7fU) == 0x7f) {
      EXPECT_EQ(value, code == 0x7f ? 240 : -240);
    } else {
      EXPECT_EQ(value, E4m3ByBits(code) / 2) << code;
    }
  }
  EXPECT_EQ(FromE4m3Fnuz(0x01), 0x1p-10F);
}

TEST(KernelFormats, e4m3fnuz_rounds_to_the_nearest_and_has_one_zero) {
  for (unsigned code = 0; code < 0x7f; ++code) {
    const auto low = static_cast<std::uint8_t>(code), high = static_cast<std::uint8_t>(code + 1);
    const float middle = (FromE4m3Fnuz(low) + FromE4m3Fnuz(high)) / 2;
    EXPECT_EQ(ToE4m3Fnuz(FromE4m3Fnuz(low)), low);
    EXPECT_EQ(ToE4m3Fnuz(-FromE4m3Fnuz(high)), high | 0x80);
    EXPECT_EQ(ToE4m3Fnuz(middle), code % 2 == 0 ? low : high) << code;
    EXPECT_EQ(ToE4m3Fnuz(std::nextafter(middle, 0.0F)), low) << code;
    EXPECT_EQ(ToE4m3Fnuz(std::nextafter(middle, 1e9F)), high) << code;
  }
  EXPECT_EQ(ToE4m3Fnuz(-0.0F), 0);
  EXPECT_EQ(ToE4m3Fnuz(-1e-9F), 0) << "rounds to zero, and 0x80 is NaN";
  EXPECT_EQ(ToE4m3Fnuz(1e6F), 0x7f) << "saturates";
  EXPECT_EQ(ToE4m3Fnuz(-1e6F), 0xff);
  EXPECT_EQ(ToE4m3Fnuz(std::nanf("")), 0x80);
}

TEST(KernelFormats, bf16_rounds_to_the_nearest_and_ties_to_even) {
  for (const std::uint32_t code : {0x0000U, 0x0001U, 0x3f80U, 0x3f81U, 0x4049U, 0x7f7eU}) {
    const auto low = static_cast<std::uint16_t>(code), high = static_cast<std::uint16_t>(code + 1);
    const float middle = FromBf16(low) + (FromBf16(high) - FromBf16(low)) / 2;
    EXPECT_EQ(ToBf16(FromBf16(low)), low);
    EXPECT_EQ(ToBf16(middle), code % 2 == 0 ? low : high) << code;
    EXPECT_EQ(ToBf16(std::nextafter(middle, std::numeric_limits<float>::infinity())), high) << code;
  }
  EXPECT_EQ(FromBf16(0x3fc0), 1.5F);
  EXPECT_EQ(ToBf16(-2.0F), 0xc000);
  EXPECT_TRUE(std::isnan(FromBf16(ToBf16(std::nanf("")))));
  EXPECT_EQ(ToBf16(std::numeric_limits<float>::infinity()), 0x7f80);
}

TEST(KernelFormats, e2m1_and_e8m0_are_those_of_the_mx_specification) {
  // OCP "Microscaling Formats", tables 5 and 7.
  const std::vector<float> values = {0,  0.5F,  1,  1.5F,  2,  3,  4,  6,
                                     -0, -0.5F, -1, -1.5F, -2, -3, -4, -6};
  for (std::uint8_t code = 0; code < 16; ++code) EXPECT_EQ(FromE2m1(code), values[code]);
  EXPECT_TRUE(std::signbit(FromE2m1(8)));
  EXPECT_EQ(FromE8m0(127), 1);
  EXPECT_EQ(FromE8m0(120), 0x1p-7F);
  EXPECT_EQ(FromE8m0(254), 0x1p127F);
  EXPECT_TRUE(std::isnan(FromE8m0(255)));
}

class KernelDecoding : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!Runs(GetParam())) GTEST_SKIP() << "this CPU does not run " << NameOf(GetParam());
  }

  // out[m][n] = a . w^T, with the scales that `scaling` describes.
  std::vector<float> Multiply(Format format, Scaling scaling, int m, int n, int k, const void* a,
                              const void* a_scale, const void* w, const void* w_scale) {
    const cpu::PackedWeights packed(GetParam(), format, scaling, n, k, {w, w_scale});
    std::vector<float> out(static_cast<std::size_t>(m * n));
    cpu::GemmCall call;
    call.isa = GetParam();
    call.a = format;
    call.out = Format::kF32;
    call.scaling = scaling;
    call.m = m;
    call.n = n;
    call.k = k;
    call.batch = {{a, a_scale, &packed, out.data()}};
    Config config;
    config.tile_m = 4;
    config.tile_v = 2;
    cpu::GemmRunner().Run(call, config, 0);
    return out;
  }
};

TEST_P(KernelDecoding, of_e4m3_weights_and_activations_is_exact_for_every_code) {
  std::vector<std::uint8_t> codes;
  for (unsigned code = 0; code < 256; ++code) {
    if ((code & 0x7fU) != 0x7fU) codes.push_back(static_cast<std::uint8_t>(code));
  }
  const int count = static_cast<int>(codes.size());
  const std::uint8_t one = ToE4m3(1);
  const auto as_weights =
      Multiply(Format::kE4m3, Scaling::kNone, 1, count, 1, &one, nullptr, codes.data(), nullptr);
  const auto as_activations =
      Multiply(Format::kE4m3, Scaling::kNone, count, 1, 1, codes.data(), nullptr, &one, nullptr);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(as_weights[i], E4m3ByBits(codes[i])) << int{codes[i]};
    EXPECT_EQ(as_activations[i], E4m3ByBits(codes[i])) << int{codes[i]};
  }
}

TEST_P(KernelDecoding, of_an_e4m3_activation_that_is_nan_keeps_it) {
  const std::uint8_t nan = 0x7f, one = ToE4m3(1);
  EXPECT_TRUE(std::isnan(
      Multiply(Format::kE4m3, Scaling::kNone, 1, 1, 1, &nan, nullptr, &one, nullptr)[0]));
}

TEST_P(KernelDecoding, of_e2m1_with_its_scales_is_exact_for_every_code) {
  // Each row has one nonzero element, in the first or second nibble of a byte.
  constexpr int kRowBytes = 16;  // 32 elements
  const std::vector<std::uint8_t> scales(16, 125);
  const std::uint8_t unit_scale = 127;
  for (const int nibble : {0, 1}) {
    std::vector<std::uint8_t> codes(16 * kRowBytes, 0), one(kRowBytes, 0);
    for (std::uint8_t code = 0; code < 16; ++code) {
      codes[code * std::size_t{kRowBytes} + 3] = static_cast<std::uint8_t>(code << 4 * nibble);
    }
    one[3] = static_cast<std::uint8_t>(2 << 4 * nibble);
    const auto as_weights = Multiply(Format::kE2m1, Scaling::kMx32, 1, 16, 32, one.data(),
                                     &unit_scale, codes.data(), scales.data());
    const auto as_activations = Multiply(Format::kE2m1, Scaling::kMx32, 16, 1, 32, codes.data(),
                                         scales.data(), one.data(), &unit_scale);
    for (std::uint8_t code = 0; code < 16; ++code) {
      EXPECT_EQ(as_weights[code], FromE2m1(code) / 4) << int{code};
      EXPECT_EQ(as_activations[code], FromE2m1(code) / 4) << int{code};
    }
  }
}

TEST_P(KernelDecoding, of_int8_is_exact_where_16_bit_sums_would_saturate) {
  const std::vector<std::int8_t> lowest(256, -128);
  const std::vector<float> ones(1, 1.0F);
  const auto out = Multiply(Format::kInt8, Scaling::kRowColumn, 1, 1, 256, lowest.data(),
                            ones.data(), lowest.data(), ones.data());
  EXPECT_EQ(out[0], 256.0F * 128 * 128);
}

INSTANTIATE_TEST_SUITE_P(builds, KernelDecoding, testing::Values(Isa::kV2, Isa::kV3, Isa::kV4),
                         [](const auto& instance) {
                           return "v" + std::to_string(static_cast<int>(instance.param) + 2);
                         });

}  // namespace
}  // namespace tunehub::kernels
