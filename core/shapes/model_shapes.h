// Computes the shapes that an engine looks up in a tuned table for a model: the model's matrix
// products at every M of a list.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/engine_reads.h"
#include "core/shapes/model.h"
#include "core/shapes/products.h"

namespace tunehub::core {

// Returns values of M (for fused MoE: numbers of tokens). Errors: bad_grid. `grid`:
// * "gl0": 1, 2, 4, 8 and every padded M (PaddedMGl0) to 80,000, as in AITER's Qwen tables
// * "pow2": powers of two to 131,072, which is the last tier of AITER's fused MoE
// * a list, such as "1,16,1024"
// LookupM maps the values of "gl0" and "pow2" for the family.
Result<std::vector<std::int64_t>> GridOf(const Family& family, std::string_view grid);

// Selects the matrix products that use a family. A family supports some schemes: ways to store the
// operands.
enum class SchemeChoice {
  kAny,  // every matrix product that some quantization could store in such a scheme
  // only matrix products that the model stores in such a scheme; for an unquantized model like kAny
  kOwn,
  kOwnOrAny,  // kOwn; kAny if kOwn finds none
};

// Facts about a shape that the model does not determine.
struct ShapeOptions {
  // The scheme, which overrides the config's: "bf16", "fp8" (a scale for each token), "fp8_block"
  // (1x128), "int8", "fp4" (1x32), "mxfp4", "int4". "": the config's scheme. If the config has no
  // scheme: the default of the family's column, else fp8_block for fused MoE and fp8 for other
  // families.
  std::string dtype;
  bool fnuz = false;  // fp8 is gfx942's e4m3fnuz instead of e4m3fn
  // the router treats shared experts like other experts
  bool fuse_shared_experts = false;
  std::map<std::string, std::string> columns;  // override every default: {"bias", "True"}
  std::int64_t ep = 1, dp_attention = 1;       // core::Parallelism
  std::string engine;                          // core::Parallelism
  std::string aiter;                           // AITER's version, "0.1.16"; "": the newest
  std::string gfx, device;                     // for families with these columns
  SchemeChoice schemes = SchemeChoice::kAny;
  // If given, ModelShapes returns only shapes that this engine looks up in the family, with `rocm`,
  // for the stored model. It then returns an error if a layer has no shape after the split. Null:
  // all possible shapes.
  const EngineReads* reads = nullptr;
  std::string rocm;
};

// Sets kOwn and the engine in the options, for a model that `engine` serves. Null: no engine.
ShapeOptions ServedBy(ShapeOptions options, const EngineReads* engine, std::string_view rocm);

using Shape = std::vector<std::string>;
// Returns the family's untuned rows for this model. They are the rows of all matrix products that
// use the family, at every M of `grid`. Each row occurs once. M varies fastest. Cells are in the
// order of Family::untuned_columns. Errors:
// * bad_tp, bad_ep, bad_dp_attention, bad_dtype, bad_column
// * unsupported_family: no model has a matrix product that uses the family
// * no_experts: fused MoE for a dense model
// * no_products: no matrix product of this model uses the family
// * no_device: the family needs the device's name
Result<std::vector<Shape>> ModelShapes(const Model& model, std::int64_t tp, const Family& family,
                                       std::span<const std::int64_t> grid,
                                       const ShapeOptions& options = {});

// A row of ModelShapes and its matrix products.
struct AskedShape {
  Shape row;
  std::int64_t m = 0;
  std::vector<std::size_t> products;  // those with this row: indices into ShapesByProduct::plan
};
struct ShapesByProduct {
  ProductPlan plan;
  std::vector<AskedShape> shapes;
};
Result<ShapesByProduct> ShapesOfProducts(const Model& model, std::int64_t tp, const Family& family,
                                         std::span<const std::int64_t> grid,
                                         const ShapeOptions& options = {});

// Returns the rules by which the matrix product uses the family. Empty: it does not use the family.
// `quantized`: true if the model's config or the caller states the scheme.
std::vector<const ProductRule*> RulesOf(const Family& family, const ModelProduct& product,
                                        bool quantized, SchemeChoice choice);

// Fills the places in `text`: "{n}" and the other figures of a matrix product at one M, "{device}",
// "{gfx}", and "{bucket}" (M_LEQ_ with the next power of two).
std::string Filled(std::string_view text, const ModelProduct& product, std::int64_t m,
                   std::string_view device, std::string_view gfx);

// The default text of `column`; "" for a target column or an optional column. Errors: bad_dtype,
// with the known dtypes; bad_column (no default is known).
Result<std::string> DefaultOf(const Column& column, const Family& family, const Model& model,
                              const ShapeOptions& options);

// The possible values of the column topk if experts are split over GPUs (EpRule), the likeliest
// first. Empty: the matrix product's own topk. `note` says why these values differ from it.
std::vector<std::int64_t> EpTopks(const Family& family, const ModelProduct& product,
                                  const ShapeOptions& options, SplitFinding& note);

}  // namespace tunehub::core
