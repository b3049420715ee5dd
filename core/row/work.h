// FLOP and bytes of one row, recomputed from its shape: tables carry stale figures in other units.
#pragma once

#include <optional>
#include <string_view>

#include "core/family/family.h"

namespace tunehub::core {

struct Work {
  double flops = 0;
  double bytes = 0;
};

// Formulas as AITER's tuners compute them:
//   gemm: 2*B*M*N*K flops; B*(M*K*a + N*K*b + M*N*o) bytes, (a, b, o) = Metric::bytes
//   fmoe: n = 2*inter_dim with use_g1u1, else inter_dim;
//         2*token*topk*model_dim*(n + inter_dim) flops;
//         token*model_dim*bpe(q_dtype_a) + expert*model_dim*(n + inter_dim)*bpe(q_dtype_w)
//         + token*model_dim*bpe(dtype) bytes
// Nothing for "none" or where a cell is no number above zero (topk -1: unknown under expert
// parallelism). `cells` in canonical text.
std::optional<Work> ComputeWork(const Family& family, const Cells& cells);

// The formula of "gemm" alone, by other figures than the family's own.
std::optional<Work> GemmWork(const Metric& metric, const Cells& cells);

// The precision whose peak bounds the row ("fp8"); "" where unknown.
std::string_view RowPrecision(const Family& family, const Cells& cells);

inline double Tflops(const Work& work, double us) {
  return work.flops / us / 1e6;
}
inline double GigabytesPerSecond(const Work& work, double us) {
  return work.bytes / us / 1e3;
}

// Bytes of one element: "torch.bfloat16" -> 2, "torch.int4" -> 0.5, fp4x2 -> 1 (as AITER counts
// it).
std::optional<double> BytesPerElement(std::string_view dtype);

}  // namespace tunehub::core
