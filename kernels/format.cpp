#include "kernels/format.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tunehub::kernels {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 5> kDtypes = {{
    {"torch.int8", Format::kInt8},
    {"torch.float8_e4m3fn", Format::kE4m3},
    {"torch.float8_e4m3fnuz", Format::kE4m3Fnuz},
    {"torch.bfloat16", Format::kBf16},
    {"torch.float32", Format::kF32},
}};

constexpr std::uint8_t kE4m3Nan = 0x7f;
constexpr float kE4m3Max = 448;
constexpr std::uint8_t kE4m3FnuzNan = 0x80;
constexpr float kE4m3FnuzMax = 240;

// The code of a magnitude, without the sign. The smallest exponent is 1 - bias.
int E4m3Code(float magnitude, int bias) {
  if (magnitude == 0) return 0;
  // Below 2^(1 - bias) the step is constant. Above, the step is an eighth of the power of two.
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - exponent)));
  // 16 steps carry into the next exponent. 8 steps carry out of the subnormals.
  return (exponent + bias - 1) * 8 + steps;
}

}  // namespace

std::optional<Format> FormatOfDtype(std::string_view dtype) {
  for (const auto& [name, format] : kDtypes) {
    if (name == dtype) return format;
  }
  return std::nullopt;
}

std::size_t BytesOf(Format format, std::size_t count) {
  switch (format) {
    case Format::kInt8:
    case Format::kE4m3:
    case Format::kE4m3Fnuz:
      return count;
    case Format::kBf16:
      return count * 2;
    case Format::kE2m1:
      return count / 2;
    case Format::kF32:
      return count * 4;
  }
  return 0;
}

float FromBf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t ToBf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float FromE4m3(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 15;
  const int mantissa = bits & 7;
  if ((bits & 0x7f) == kE4m3Nan) return std::numeric_limits<float>::quiet_NaN();
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -9)
                              : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

std::uint8_t ToE4m3(float value) {
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return sign | kE4m3Nan;
  return static_cast<std::uint8_t>(sign | E4m3Code(std::fmin(std::fabs(value), kE4m3Max), 7));
}

float FromE4m3Fnuz(std::uint8_t bits) {
  if (bits == kE4m3FnuzNan) return std::numeric_limits<float>::quiet_NaN();
  const int exponent = (bits >> 3) & 15;
  const auto mantissa = static_cast<float>(bits & 7);
  const float magnitude =
      exponent == 0 ? std::ldexp(mantissa, -10) : std::ldexp(8 + mantissa, exponent - 11);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

std::uint8_t ToE4m3Fnuz(float value) {
  if (std::isnan(value)) return kE4m3FnuzNan;
  const int code = E4m3Code(std::fmin(std::fabs(value), kE4m3FnuzMax), 8);
  // A value that rounds to zero gets no sign, because -0 would have the code of NaN.
  if (code == 0) return 0;
  return static_cast<std::uint8_t>((std::signbit(value) ? 0x80 : 0) | code);
}

float FromE2m1(std::uint8_t nibble) {
  static constexpr std::array<float, 8> kMagnitudes = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  const float magnitude = kMagnitudes[nibble & 7U];
  return (nibble & 8U) != 0 ? -magnitude : magnitude;
}

float FromE8m0(std::uint8_t bits) {
  if (bits == 0xff) return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0F, bits - 127);
}

}  // namespace tunehub::kernels
