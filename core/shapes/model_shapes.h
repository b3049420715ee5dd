// Which matrix products a model makes on each of `tp` GPUs, and so which shapes its serving asks a
// tuned table for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/model.h"

namespace tunehub::core {

// The weight of one layer on one GPU, N x K: N features out, K in.
struct Projection {
  std::string layer;  // "qkv", "o", "gate_up", "down", ...
  std::int64_t n = 0, k = 0;

  bool operator==(const Projection&) const = default;
};

// The dense products: column-parallel layers (qkv, gate_up) have N / tp, row-parallel ones (o,
// down) K / tp; KV heads are copied to every GPU once tp exceeds their number; the low-rank
// projections of latent attention are not split. Experts are not among them (they go through the
// fused MoE), shared ones are. In the order of the layers, each (n, k) once. Errors: bad_tp, with
// the figure that tp does not divide.
Result<std::vector<Projection>> Projections(const Model& model, std::int64_t tp);

// Values of M (or of the tokens): "gl0" is 1, 2, 4, 8 and the gl 0 grid to 80,000 (what AITER's
// Qwen tables were tuned for); "pow2" the powers of two to 131,072, AITER's last token tier; else a
// list "1,16,1024". The named ones are mapped to what a lookup of the family can use. Errors:
// bad_grid.
Result<std::vector<std::int64_t>> GridOf(const Family& family, std::string_view grid);

// What the model does not say about a shape.
struct ShapeOptions {
  // Of operands: "bf16", "fp8" (a scale per token), "fp8_block" (1x128), "int8", "fp4" (1x32).
  // "": int8 where the family's column has that as its default, otherwise fp8; bf16 for bf16's own.
  std::string dtype;
  bool fnuz = false;                           // fp8 is gfx942's e4m3fnuz, not e4m3fn
  bool fuse_shared_experts = false;            // shared experts are routed as additional ones
  std::map<std::string, std::string> columns;  // beats every default: {"bias", "True"}
};

// The family's untuned rows (cells in the order of Family::untuned_columns) for this model: every
// projection, or the fused MoE, at every M of `grid`; M runs fastest. Errors: bad_tp;
// unsupported_family (neither GEMM nor fused MoE), no_experts (a fused-MoE family for a dense
// model), bad_dtype, bad_column.
using Shape = std::vector<std::string>;
Result<std::vector<Shape>> ModelShapes(const Model& model, std::int64_t tp, const Family& family,
                                       std::span<const std::int64_t> grid,
                                       const ShapeOptions& options = {});

}  // namespace tunehub::core
