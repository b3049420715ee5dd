// A shape with typed values instead of texts. It describes what a kernel computes on any device.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/family/family.h"
#include "kernels/format.h"

namespace tunehub::kernels {

// The scales of operands.
enum class Scaling {
  kNone,
  kRowColumn,  // float32: one per row of A, one per row of W (a column of the output)
  kBlock128,   // float32: 1 x 128 of A, 128 x 128 of W
  kMx32,       // e8m0: 1 x 32 of A and of W
};

enum class Activation { kSilu, kGelu };

// Fused mixture of experts: out[t] = sum over t's topk experts e of
//   weight[t, e] * down_e(activation(gate_e(x[t])) * up_e(x[t])).
struct MoeShape {
  int tokens = 0, model_dim = 0, inter_dim = 0, experts = 0, topk = 0;
  Activation activation = Activation::kSilu;
  // True: the kernel multiplies the sums of the first stage by the routing weight, before the
  // activation. False: it multiplies the result.
  bool weight_in_first_stage = false;

  bool operator==(const MoeShape&) const = default;
};

// out[b] = A[b] . W[b]^T. A is m x k and W is n x k, both row-major. Sums are in int32 (for int8)
// or float32, then scaled and rounded to `out`.
struct Problem {
  std::string family;
  int batch = 1;
  int m = 0, n = 0, k = 0;  // at least 1; for "fmoe": tokens, model_dim and inter_dim
  Format a = Format::kBf16, w = Format::kBf16, out = Format::kBf16;
  Scaling scaling = Scaling::kNone;
  MoeShape moe;  // only for "fmoe"

  bool is_moe() const { return moe.tokens != 0; }
  bool operator==(const Problem&) const = default;
};

// The limit for one set of operands with its output, so that a host does not swap while it tunes.
inline constexpr std::uint64_t kMaxProblemBytes = std::uint64_t{4} << 30;
// With a larger K, a sum of int8 products can exceed int32.
inline constexpr int kMaxInt8K = (1 << 17) - 1;

// Bytes of A, W, their scales and the output.
std::uint64_t MemoryBytes(const Problem& problem);

// A family's shape columns with canonical texts (core::CanonicalCell).
using ShapeTexts = std::map<std::string, std::string, std::less<>>;

// Errors: unsupported_family (no kernel computes it); unsupported_shape, with column, value and
// reason, also if the problem exceeds kMaxProblemBytes.
core::Result<Problem> ReadProblem(const core::Family& family, const ShapeTexts& texts);
// Does the same with a row's cells, in the order of the family's columns.
core::Result<Problem> ReadProblem(const core::Family& family, const core::Cells& cells);

}  // namespace tunehub::kernels
