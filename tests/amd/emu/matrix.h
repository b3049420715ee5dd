// The matrix instructions of CDNA, defined on a wave of 64 lanes. Each lane has a part of the
// operands and of the sums.
//
// An instruction multiplies `first`, atom x k, by the transpose of `second`, atom x k. A wave has
// kWave / atom groups of `atom` lanes. This file maps a lane's bytes to elements.
// tests/amd/matrix_layout_test.cpp maps elements to lanes, from another source.
#pragma once

#include <array>

#include "kernels/amd/config.h"

namespace tunehub::kernels::emu {

struct MatrixShape {
  amd::Element element;
  amd::Arch arch;
  int atom;  // 16 or 32

  bool operator==(const MatrixShape&) const = default;
};

// The number of elements of one operand that a lane gives to one instruction.
int ElementsPerLane(const MatrixShape& shape);

struct Position {
  int row, column;

  bool operator==(const Position&) const = default;
};
// Row and k of element `index` in a lane's operand.
Position OperandAt(const MatrixShape& shape, int lane, int index);
// The row of `first` and the row of `second` for element `index` in a lane's sums.
Position SumAt(int atom, int lane, int index);

struct Lanes {
  std::array<const std::byte*, amd::kWave> first, second;  // each is a chunk of 16 bytes
  std::array<void*, amd::kWave> sums;  // atom * atom / kWave numbers, int32 or float32
};

// Executes all instructions for which a chunk has elements.
void MultiplyChunks(const MatrixShape& shape, const Lanes& lanes);

}  // namespace tunehub::kernels::emu
