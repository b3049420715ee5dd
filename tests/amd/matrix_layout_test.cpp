// Maps each element of a matrix instruction to its lane and place, by AMD's published matrix
// instruction calculator ("matrix element to register mapping"). The emulator maps lanes to
// elements, and was written without this mapping.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/format.h"
#include "tests/amd/emu/matrix.h"

namespace tunehub::kernels::emu {
namespace {

using amd::Arch;
using amd::Element;

struct Instruction {
  const char* name;
  MatrixShape shape;
  int k;                  // the K of one instruction
  int operand_registers;  // 32-bit registers, per lane and operand
};

// Name, K and registers of each instruction that the kernels use, from the ISA documents of CDNA 2,
// 3 and 4.
const std::vector<Instruction> kInstructions = {
    {"v_mfma_f32_32x32x8_bf16_1k", {Element::kBf16, Arch::kGfx90a, 32}, 8, 2},
    {"v_mfma_f32_16x16x16_bf16_1k", {Element::kBf16, Arch::kGfx90a, 16}, 16, 2},
    {"v_mfma_i32_32x32x8_i8", {Element::kInt8, Arch::kGfx90a, 32}, 8, 1},
    {"v_mfma_i32_16x16x16_i8", {Element::kInt8, Arch::kGfx90a, 16}, 16, 1},
    {"v_mfma_f32_32x32x8_bf16", {Element::kBf16, Arch::kGfx942, 32}, 8, 2},
    {"v_mfma_f32_16x16x16_bf16", {Element::kBf16, Arch::kGfx942, 16}, 16, 2},
    {"v_mfma_i32_32x32x16_i8", {Element::kInt8, Arch::kGfx942, 32}, 16, 2},
    {"v_mfma_i32_16x16x32_i8", {Element::kInt8, Arch::kGfx942, 16}, 32, 2},
    {"v_mfma_f32_32x32x16_fp8_fp8", {Element::kFp8, Arch::kGfx942, 32}, 16, 2},
    {"v_mfma_f32_16x16x32_fp8_fp8", {Element::kFp8, Arch::kGfx942, 16}, 32, 2},
    {"v_mfma_f32_32x32x16_bf16", {Element::kBf16, Arch::kGfx950, 32}, 16, 4},
    {"v_mfma_f32_16x16x32_bf16", {Element::kBf16, Arch::kGfx950, 16}, 32, 4},
    {"v_mfma_i32_32x32x32_i8", {Element::kInt8, Arch::kGfx950, 32}, 32, 4},
    {"v_mfma_i32_16x16x64_i8", {Element::kInt8, Arch::kGfx950, 16}, 64, 4},
    {"v_mfma_f32_32x32x16_fp8_fp8", {Element::kFp8, Arch::kGfx950, 32}, 16, 2},
    {"v_mfma_f32_16x16x32_fp8_fp8", {Element::kFp8, Arch::kGfx950, 16}, 32, 2},
};

struct Slot {
  int lane, byte;
};

// The place of A[i][k], and of B[k][j] with j as i. `byte` gives the register and its bits.
Slot SlotOfOperand(const Instruction& instruction, int i, int k) {
  const int size = amd::BytesOf(instruction.shape.element);
  const int k_per_lane = instruction.operand_registers * 4 / size;
  return {instruction.shape.atom * (k / k_per_lane) + i, k % k_per_lane * size};
}

// The lane and register of D[i][j], for both sizes as the calculator prints them.
Slot SlotOfSum(int atom, int i, int j) {
  if (atom == 32) return {(32 * (i / 4)) % 64 + j, 4 * (i / 8) + i % 4};
  return {16 * (i / 4) + j, i % 4};
}

class MatrixLayout : public testing::TestWithParam<Instruction> {};

double ValueOf(const MatrixShape& shape, const std::byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, 2);
  const auto code = static_cast<std::uint8_t>(*at);
  if (shape.element == Element::kBf16) return FromBf16(bits);
  if (shape.element == Element::kInt8) return static_cast<std::int8_t>(code);
  return shape.arch == Arch::kGfx942 ? FromE4m3Fnuz(code) : FromE4m3(code);
}

// Random bytes of moderate size that are neither NaN nor infinity.
std::byte RandomByte(const MatrixShape& shape, int index, std::mt19937& random) {
  const auto bits = static_cast<std::uint8_t>(random());
  if (shape.element == Element::kInt8) return std::byte{bits};
  if (shape.element == Element::kFp8) return std::byte{static_cast<std::uint8_t>(bits & 0x3f)};
  return std::byte{index % 2 == 0 ? bits : static_cast<std::uint8_t>(0x3e | (bits & 0x81))};
}

double SumIn(const MatrixShape& shape, const std::vector<std::array<std::int32_t, 16>>& sums,
             const Slot& slot) {
  const auto bits = sums[static_cast<std::size_t>(slot.lane)][static_cast<std::size_t>(slot.byte)];
  if (shape.element == Element::kInt8) return bits;
  return std::bit_cast<float>(bits);
}

// Gives random chunks to the whole wave. Every sum must be at the documented place.
TEST_P(MatrixLayout, multiplies_what_the_documents_say) {
  const auto& instruction = GetParam();
  const auto& shape = instruction.shape;
  std::mt19937 random(7);
  std::vector<std::array<std::byte, 16>> first(64), second(64);
  std::vector<std::array<std::int32_t, 16>> sums(64);  // 0 means zero in either type
  Lanes lanes;
  for (std::size_t lane = 0; lane < 64; ++lane) {
    for (int b = 0; b < 16; ++b) {
      first[lane][static_cast<std::size_t>(b)] = RandomByte(shape, b, random);
      second[lane][static_cast<std::size_t>(b)] = RandomByte(shape, b, random);
    }
    lanes.first[lane] = first[lane].data();
    lanes.second[lane] = second[lane].data();
    lanes.sums[lane] = sums[lane].data();
  }
  MultiplyChunks(shape, lanes);

  const auto value = [&](const auto& operand, int repeat, int i, int k) {
    const auto slot = SlotOfOperand(instruction, i, k);
    const int byte = repeat * instruction.operand_registers * 4 + slot.byte;
    return ValueOf(shape,
                   &operand[static_cast<std::size_t>(slot.lane)][static_cast<std::size_t>(byte)]);
  };
  for (int i = 0; i < shape.atom; ++i) {
    for (int j = 0; j < shape.atom; ++j) {
      double expected = 0;
      for (int repeat = 0; repeat < 4 / instruction.operand_registers; ++repeat) {
        for (int k = 0; k < instruction.k; ++k) {
          expected += value(first, repeat, i, k) * value(second, repeat, j, k);
        }
      }
      EXPECT_NEAR(SumIn(shape, sums, SlotOfSum(shape.atom, i, j)), expected,
                  std::abs(expected) * 1e-4 + 1e-4)
          << instruction.name << " at " << i << ", " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryInstruction, MatrixLayout, testing::ValuesIn(kInstructions),
                         [](const auto& each) {
                           return std::string(each.param.name) + "_" +
                                  std::to_string(static_cast<int>(each.param.shape.arch));
                         });

}  // namespace
}  // namespace tunehub::kernels::emu
