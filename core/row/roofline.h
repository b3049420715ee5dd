// Computes the least possible time of a row's shape on a device. No kernel exceeds the peak rate of
// the matrix units or of the memory (S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52:4,
// 2009).
//
//   roofline = max(flops / peak of the precision, least bytes / peak of the memory)
//   share    = roofline / time; above 1 if inputs were in a cache during the measurement
//
// The flops are those of Work. The least bytes: the kernel reads each operand once and writes each
// result once.
//   gemm: as in Work, but with the operands' own size if the row names a narrower type
//   fmoe: as in Work, but weights only of the experts that tokens can reach,
//         min(expert, token*topk), and half a byte for each element of fp4x2
// The formulas omit scales, biases and intermediate results, so the roofline is a lower bound.
#pragma once

#include <optional>
#include <string_view>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

// FLOP and bytes of one row, computed from the row's shape. The figures in tables are unreliable:
// some are outdated or use other units.
struct Work {
  double flops = 0;
  double bytes = 0;
};

// AITER's tuners use the same formulas:
//   gemm: 2*B*M*N*K flops; B*(M*K*a + N*K*b + M*N*o) bytes, (a, b, o) = Metric::bytes
//   fmoe: n = 2*inter_dim with use_g1u1, else inter_dim;
//         2*token*topk*model_dim*(n + inter_dim) flops;
//         token*model_dim*bpe(q_dtype_a) + expert*model_dim*(n + inter_dim)*bpe(q_dtype_w)
//         + token*model_dim*bpe(dtype) bytes
// Returns nullopt for "none", or if a cell is not a number above zero (topk is -1 if unknown under
// expert parallelism). `cells`: in canonical text.
std::optional<Work> ComputeWork(const Family& family, const Cells& cells);

// The precision whose peak rate limits the row, such as "fp8"; "": unknown.
std::string_view RowPrecision(const Family& family, const Cells& cells);

inline double Tflops(const Work& work, double us) {
  return work.flops / us / 1e6;
}
inline double GigabytesPerSecond(const Work& work, double us) {
  return work.bytes / us / 1e3;
}

// Bytes of one element: "torch.bfloat16" -> 2, "torch.int4" -> 0.5, fp4x2 -> 1 (AITER's count).
std::optional<double> BytesPerElement(std::string_view dtype);

// Returns the work with the least bytes (see above). Returns nullopt if ComputeWork returns
// nullopt.
std::optional<Work> LeastWork(const Family& family, const Cells& cells);

struct Roofline {
  double us = 0;                    // above 0
  bool by_memory = false;           // true: limited by memory; false: by the matrix units
  const Device* product = nullptr;  // the product with these peaks

  double Share(double time_us) const { return us / time_us; }
};

// Returns the roofline on `product`. If `product` is null, uses the slowest product of the row's
// target, because rows name only gfx and CU count. Returns nullopt if the work, the precision's
// peak or a product's peaks are unknown.
std::optional<Roofline> RooflineOf(const Family& family, const Cells& cells, const Devices& devices,
                                   std::string_view gfx, int cu_num,
                                   const Device* product = nullptr);

// Returns the roofline on the target's fastest product with known peaks. `cu_num` 0: any product of
// the gfx.
std::optional<Roofline> FastestRoofline(const Family& family, const Cells& cells,
                                        const Devices& devices, std::string_view gfx, int cu_num);

}  // namespace tunehub::core
