// The element formats of operands, and conversions of their values. The code is simple and scalar.
// Packing and the reference use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tunehub::kernels {

enum class Format {
  kInt8,
  kE4m3,      // OCP FP8 e4m3fn: bias 7, largest value 448, 0x7f and 0xff are NaN, no infinities
  kE4m3Fnuz,  // FP8 e4m3fnuz of gfx942: bias 8, largest value 240, 0x80 is NaN, one zero
  kBf16,
  kE2m1,  // OCP FP4: 0 0.5 1 1.5 2 3 4 6 and their negatives; two per byte, the lower nibble first
  kF32,
};

// "torch.int8", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz", "torch.bfloat16", "torch.float32";
// absent for other types.
std::optional<Format> FormatOfDtype(std::string_view dtype);

// The bytes of `count` elements. Precondition: `count` is even for kE2m1.
std::size_t BytesOf(Format format, std::size_t count);

float FromBf16(std::uint16_t bits);
// Rounds to nearest, ties to even. A NaN stays NaN.
std::uint16_t ToBf16(float value);

float FromE4m3(std::uint8_t bits);
// Rounds to nearest, ties to even. Saturates at 448, as AITER's quantisers do.
std::uint8_t ToE4m3(float value);

float FromE4m3Fnuz(std::uint8_t bits);
// Like ToE4m3, but saturates at 240.
std::uint8_t ToE4m3Fnuz(float value);

float FromE2m1(std::uint8_t nibble);  // nibble: 0..15
// OCP MX scale: 2^(bits - 127); 0xff is NaN.
float FromE8m0(std::uint8_t bits);

}  // namespace tunehub::kernels
