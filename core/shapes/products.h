// The matrix products of a model on one GPU, the number of layers with each of them, and the
// engines' checks of the split. In this file, "product" means a matrix product.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/model.h"

namespace tunehub::core {

enum class ProductKind {
  kDense,    // one weight, N x K
  kBatched,  // one weight for each head (or group of heads) on the GPU
  kExperts,  // the fused MoE
};

// How many GPUs share a product.
enum class Split {
  kNone,       // 1: every GPU computes the whole product
  kAttention,  // the GPUs that share one request's attention: tp / dp_attention
  kTensor,     // tp; in vLLM tp / dp_attention
  kExperts,    // tp: into ep parts by expert, then into tp / ep parts by width
};

std::string_view Name(ProductKind kind);  // "dense", "batched", "experts"
std::string_view Name(Split split);       // "none", "attention", "tp", "experts"

struct ModelProduct {
  std::string layer;  // "qkv", "o", "gate_up", "experts", "router", "lm_head", ...
  ProductKind kind = ProductKind::kDense;
  // N output features and K inputs, of one weight or of each of `batch` weights.
  std::int64_t n = 0, k = 0, batch = 0;
  // For kExperts: experts on one GPU, experts chosen for a token, and the width of each expert on
  // the GPU. Here k is the model's hidden size.
  std::int64_t experts = 0, topk = 0, width = 0;
  std::int64_t layers = 0;  // number of layers with this product; 0: the config does not state it
  Split split = Split::kNone;
  std::string scheme =
      std::string(kBf16);   // core/shapes/quantization.h: how its operands are stored
  bool convertible = true;  // false: no quantization changes it (router, lm_head)
  bool bias = false;
  std::int64_t block_n = 0, block_k = 0;  // for "fp8_block"
  std::int64_t group = 0;                 // for "int4": inputs that share a scale
};

// Floating-point operations for one token on one GPU, in all layers with the product: two for each
// weight that the token uses. If the number of layers is unknown, counts one layer.
double FlopsPerToken(const ModelProduct& product);

struct Parallelism {
  std::int64_t tp = 1;               // GPUs that share the model
  std::int64_t ep = 1;               // parts into which the experts are divided; divides tp
  std::int64_t dp_attention = 1;     // groups of GPUs with separate requests; divides tp
  std::string engine = {};           // "vllm", "sglang"; "": unknown
  std::string scheme = {};           // overrides the config
  bool fuse_shared_experts = false;  // the router treats shared experts as additional experts
};

struct SplitFinding {
  // For example "bad_tp", "block", "group", "uneven_experts", "kv_heads_copied", "unknown_member".
  std::string code;
  std::string detail;
  bool refused = false;   // true: an engine would refuse to start
  bool no_shape = false;  // the product does not exist, because a division has a remainder
  std::string layer;      // "": all
  ProductKind kind = ProductKind::kDense;
};

struct ProductPlan {
  std::vector<ModelProduct> products;  // in the order of the layers
  std::vector<SplitFinding> findings;

  // Returns the first finding that leaves a layer (with products of this kind) without a shape.
  // Engines cannot serve the model with such a split. Ignores lm_head, because engines pad the
  // vocabulary. Returns null if every layer has a shape.
  const SplitFinding* Refusal(std::optional<ProductKind> kind = {}) const;
};

// Returns the unknown parts of the model's config, for any split. First come the findings
// unknown_scheme (such a model has no coverage), then unknown_member.
std::vector<SplitFinding> NotesOf(const Model& model);

// Errors: bad_tp, bad_ep or bad_dp_attention if a number is wrong for every model.
Result<ProductPlan> ProductsOf(const Model& model, const Parallelism& parallelism);

// The weight of one layer on one GPU, N x K: N output features, K inputs.
struct Projection {
  std::string layer;  // "qkv", "o", "gate_up", "down", ...
  std::int64_t n = 0, k = 0;

  bool operator==(const Projection&) const = default;
};

// The dense products that can be quantized, each (n, k) once, in the order of the layers. Errors:
// bad_tp, with the figure that tp does not divide.
Result<std::vector<Projection>> Projections(const Model& model, std::int64_t tp);

// Divides a model's figures among GPUs, and runs the engines' checks.
class Sharding {
 public:
  Sharding(const Model& model, const Parallelism& parallelism);

  // The number of GPUs that share the named part.
  std::int64_t attention() const { return attention_; }
  std::int64_t dense() const { return dense_; }  // dense layers, shared experts, lm_head
  std::int64_t width() const { return width_; }  // the width of one expert

  // Sets kind and layer of the following findings.
  void About(ProductKind kind, std::string layer);
  bool whole() const { return whole_; }  // true if every division since About was even

  std::int64_t Divide(std::int64_t figure, std::int64_t gpus, const char* name);
  // Divides the heads among GPUs. If there are fewer heads than GPUs, copies them.
  std::int64_t DivideOrCopy(std::int64_t heads, std::int64_t gpus, const char* name);

  // The checks of vLLM and SGLang for weights in blocks or groups. CheckOutput takes the outputs
  // that engines join into one weight. CheckInput takes an input that is split over GPUs.
  void CheckOutput(const ModelProduct& product, const std::vector<std::int64_t>& parts);
  void CheckInput(const ModelProduct& product, std::int64_t inputs);
  void CheckExperts();

  std::vector<SplitFinding> Take() { return std::move(findings_); }

 private:
  // Adds a finding, unless an earlier finding has the same detail.
  void Add(const char* code, std::string detail, bool refused, bool no_shape = false);
  void NoShape(std::int64_t figure, std::int64_t gpus, const char* name);

  const Model& model_;
  const Parallelism& parallelism_;
  std::int64_t attention_, dense_, width_;
  ProductKind kind_ = ProductKind::kDense;
  std::string layer_;
  bool whole_ = true;
  std::vector<SplitFinding> findings_;
};

}  // namespace tunehub::core
