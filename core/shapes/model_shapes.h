// The shapes that serving a model asks a tuned table for: its products, at every M of a grid.
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

// Values of M (or of the tokens): "gl0" is 1, 2, 4, 8 and the gl 0 grid to 80,000 (what AITER's
// Qwen tables were tuned for); "pow2" the powers of two to 131,072, AITER's last token tier; else a
// list "1,16,1024". The named ones are mapped to what a lookup of the family can use. Errors:
// bad_grid.
Result<std::vector<std::int64_t>> GridOf(const Family& family, std::string_view grid);

// How far a family's schemes decide which products ask it.
enum class SchemeChoice {
  kAny,       // every product that could be stored so
  kOwn,       // those that are; of a model that was never quantized, every one that could be
  kOwnOrAny,  // kOwn, and where these are none, kAny
};

// What the model does not say about a shape.
struct ShapeOptions {
  // How the model is stored, whatever its config says: "bf16", "fp8" (a scale per token),
  // "fp8_block" (1x128), "int8", "fp4" (1x32), "mxfp4", "int4". "": as the config says; where that
  // says nothing, int8 where the family's column has that as its default, otherwise fp8.
  std::string dtype;
  bool fnuz = false;                           // fp8 is gfx942's e4m3fnuz, not e4m3fn
  bool fuse_shared_experts = false;            // shared experts are routed as additional ones
  std::map<std::string, std::string> columns;  // beats every default: {"bias", "True"}
  std::int64_t ep = 1, dp_attention = 1;       // core::Parallelism
  std::string engine;                          // core::Parallelism
  std::string aiter;                           // AITER's version, "0.1.16"; "": the newest
  std::string gfx, device;                     // where a family asks for them by name
  SchemeChoice schemes = SchemeChoice::kAny;
  // Of the family only what this engine reads of it, with `rocm`, for the model as it is stored;
  // null: whatever could ask it. A split that leaves any layer without a shape is refused then.
  const EngineReads* reads = nullptr;
  std::string rocm;
};

// The options of a model that is served by `engine`; null: as they are, with kOwn.
ShapeOptions ServedBy(ShapeOptions options, const EngineReads* engine, std::string_view rocm);

// The family's untuned rows (cells in the order of Family::untuned_columns) for this model: every
// product that asks it, each (size, words) once, at every M of `grid`; M runs fastest. Errors:
// bad_tp, bad_ep, bad_dp_attention; unsupported_family (no product of any model asks it),
// no_experts (a fused-MoE family for a dense model), no_products (those of this model do not ask
// it), no_device (the family asks for its name), bad_dtype, bad_column.
using Shape = std::vector<std::string>;
Result<std::vector<Shape>> ModelShapes(const Model& model, std::int64_t tp, const Family& family,
                                       std::span<const std::int64_t> grid,
                                       const ShapeOptions& options = {});

// The same with what each row is for.
struct AskedShape {
  Shape row;
  std::int64_t m = 0;
  std::size_t product = 0;  // of ShapesByProduct::plan.products: the first that asks it
  double flops = 0;         // FlopsPerToken of all that ask it
};
struct ShapesByProduct {
  ProductPlan plan;
  std::vector<AskedShape> shapes;
};
Result<ShapesByProduct> ShapesOfProducts(const Model& model, std::int64_t tp, const Family& family,
                                         std::span<const std::int64_t> grid,
                                         const ShapeOptions& options = {});

// The rules by which the product asks the family; empty where it does not. `quantized`: the model's
// config or whoever asks says how it is stored.
std::vector<const ProductRule*> RulesOf(const Family& family, const ModelProduct& product,
                                        bool quantized, SchemeChoice choice);

// "{n}" and the like in `text`: a product's figures at one M, what the question says of the device,
// and in {bucket} M_LEQ_ with the next power of two.
std::string Filled(std::string_view text, const ModelProduct& product, std::int64_t m,
                   std::string_view device, std::string_view gfx);

// The text of `column` where nobody says otherwise; "" for a target column or an optional one.
// Errors: bad_dtype, with what there is; bad_column (a column that no default is known for).
Result<std::string> DefaultOf(const Column& column, const Family& family, const Model& model,
                              const ShapeOptions& options);

// The values of column topk that rows for the product have where experts are split over GPUs
// (EpRule), the likeliest first: several where it is not known. Empty: the product's own. `note`
// says why they differ from it.
std::vector<std::int64_t> EpTopks(const Family& family, const ModelProduct& product,
                                  const ShapeOptions& options, SplitFinding& note);

}  // namespace tunehub::core
