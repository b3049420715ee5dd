// The matrix products that a model makes on one GPU, how many layers make each, and what an engine
// would say about splitting the model so.
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
  kBatched,  // as many as the GPU has heads
  kExperts,  // the fused MoE
};

// What splits a product over GPUs.
enum class Split {
  kNone,       // every GPU has all of it
  kAttention,  // the GPUs that share one request's attention: tp / dp_attention
  kTensor,     // all
  kExperts,    // ep by expert, the rest by width
};

std::string_view Name(ProductKind kind);  // "dense", "batched", "experts"
std::string_view Name(Split split);       // "none", "attention", "tp", "experts"

struct ModelProduct {
  std::string layer;  // "qkv", "o", "gate_up", "experts", "router", "lm_head", ...
  ProductKind kind = ProductKind::kDense;
  // N features out, K in: of one weight, or of one of `batch`.
  std::int64_t n = 0, k = 0, batch = 0;
  // Of kExperts: held by one GPU, chosen of all per token, and their width there. k is the model's.
  std::int64_t experts = 0, topk = 0, width = 0;
  std::int64_t layers = 0;  // that make it; 0: the config does not say how many there are
  Split split = Split::kNone;
  std::string scheme =
      std::string(kBf16);   // core/shapes/quantization.h: how its operands are stored
  bool convertible = true;  // false: no quantization touches it (router, lm_head)
  bool bias = false;
  std::int64_t block_n = 0, block_k = 0;  // of "fp8_block"
  std::int64_t group = 0;                 // of "int4": inputs that share a scale
};

// Floating-point operations of one token on one GPU, in all layers that make the product: two for
// each weight that the token meets. Where the config does not say how many layers there are: in
// one.
double FlopsPerToken(const ModelProduct& product);

struct Parallelism {
  std::int64_t tp = 1;            // GPUs that the model is split over
  std::int64_t ep = 1;            // of these, how many share the experts between them; divides tp
  std::int64_t dp_attention = 1;  // groups of GPUs with requests of their own; divides tp
  std::string engine = {};        // "vllm", "sglang"; "": where they agree
  std::string scheme = {};        // beats what the config says
  bool fuse_shared_experts = false;  // shared experts are routed as additional ones
};

struct SplitFinding {
  // "bad_tp", "block", "group", "uneven_experts", "kv_heads_copied", "unknown_member", ...
  std::string code;
  std::string detail;
  bool refused = false;   // an engine would not start
  bool no_shape = false;  // there is no such product: what would be split has no whole parts
  std::string layer;      // that it is about; "": all
  ProductKind kind = ProductKind::kDense;
};

struct ProductPlan {
  std::vector<ModelProduct> products;  // in the order of the layers
  std::vector<SplitFinding> findings;

  // The first finding that leaves a layer (with products of this kind) without a shape, but for
  // lm_head, whose vocabulary engines pad: such a model cannot be served split so. Null: none.
  const SplitFinding* Refusal(std::optional<ProductKind> kind = {}) const;
};

// What is not known of the model's config, however it is split: first unknown_scheme, which leaves
// no number for the model, then unknown_member.
std::vector<SplitFinding> NotesOf(const Model& model);

// Errors: bad_tp, bad_ep, bad_dp_attention (numbers that go together for no model).
Result<ProductPlan> ProductsOf(const Model& model, const Parallelism& parallelism);

// The weight of one layer on one GPU, N x K: N features out, K in.
struct Projection {
  std::string layer;  // "qkv", "o", "gate_up", "down", ...
  std::int64_t n = 0, k = 0;

  bool operator==(const Projection&) const = default;
};

// The dense products that a quantization touches, each (n, k) once, in the order of the layers.
// Errors: bad_tp, with the figure that tp does not divide.
Result<std::vector<Projection>> Projections(const Model& model, std::int64_t tp);

// Figures of a model divided by GPUs, and what an engine would say about it.
class Sharding {
 public:
  Sharding(const Model& model, const Parallelism& parallelism);

  // GPUs that a split is over.
  std::int64_t attention() const { return attention_; }
  std::int64_t dense() const { return dense_; }  // dense layers, shared experts, lm_head
  std::int64_t width() const { return width_; }  // of one expert

  // `kind` and `layer` of what is divided from here on.
  void About(ProductKind kind, std::string layer);
  bool whole() const { return whole_; }  // since About

  std::int64_t Divide(std::int64_t figure, std::int64_t gpus, const char* name);
  // Heads that are split, or copied where there are fewer of them than GPUs.
  std::int64_t DivideOrCopy(std::int64_t heads, std::int64_t gpus, const char* name);

  // The check that vLLM and SGLang make of a weight in blocks or groups: parts of the output that
  // are joined to one weight, and the input where it is split.
  void CheckOutput(const ModelProduct& product, const std::vector<std::int64_t>& parts);
  void CheckInput(const ModelProduct& product, std::int64_t inputs);
  void CheckExperts();

  std::vector<SplitFinding> Take() { return std::move(findings_); }

 private:
  // About what is divided; each detail once.
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
