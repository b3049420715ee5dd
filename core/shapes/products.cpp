#include "core/shapes/products.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/shapes/sharding.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"dense", "batched", "experts"};
constexpr std::array<std::string_view, 4> kSplits = {"none", "attention", "tp", "experts"};

constexpr char kHead[] = "lm_head";
// vLLM and SGLang pad the vocabulary.
constexpr std::int64_t kVocabMultiple = 64;

using Modules = std::initializer_list<std::string_view>;

// The products of a model, part by part.
class Products {
 public:
  Products(const Model& model, const Parallelism& parallelism)
      : model_(model), parallelism_(parallelism), sharding_(model, parallelism) {}

  ProductPlan Make() {
    if (model_.kv_lora > 0) {
      LatentAttention();
    } else {
      Attention();
    }
    if (model_.linear_value_heads > 0) DeltaNet();
    if (model_.intermediate > 0) {
      FeedForward("gate_up", "down", model_.intermediate, "intermediate_size",
                  model_.dense_layers(), {"mlp.gate_proj", "feed_forward.gate_proj"},
                  {"mlp.down_proj", "feed_forward.down_proj"});
    }
    SharedExperts();
    if (model_.experts > 0) Experts();
    if (model_.vocab > 0) Head();
    return {std::move(products_), sharding_.Take()};
  }

 private:
  // With the scheme that its modules have in most of `layers`.
  ModelProduct Of(std::string layer, std::int64_t n, std::int64_t k, Split split,
                  std::int64_t layers, Modules modules) {
    ModelProduct product;
    product.layer = std::move(layer);
    product.n = n;
    product.k = k;
    product.split = split;
    product.layers = layers;
    SetScheme(product, modules);
    return product;
  }

  void SetScheme(ModelProduct& product, Modules modules) {
    const Quantization& its = model_.quantization;
    const bool own = parallelism_.scheme.empty() || parallelism_.scheme == its.scheme;
    product.scheme = own ? its.scheme : parallelism_.scheme;
    const std::int64_t all = std::max<std::int64_t>(product.layers, 1);
    const std::int64_t left = its.LayersLeft(modules, all);
    if (left >= all) {
      product.convertible = false;
    } else if (left > 0) {
      sharding_.Add({"mixed",
                     fmt::format("{} keeps its precision in {} of {} layers; it is listed as the "
                                 "others are",
                                 product.layer, left, all),
                     false, false, "", ProductKind::kDense});
    }
    // MXFP4 checkpoints have their experts in it and nothing else.
    const bool experts_only = own && its.scheme == kMxfp4;
    if (experts_only && product.layer != "experts") product.convertible = false;
    if (!product.convertible) product.scheme = kBf16;
    if (product.scheme != kFp8Block) return;
    product.block_n = own ? its.block_n : kUsualBlock;
    product.block_k = own ? its.block_k : kUsualBlock;
  }

  void Plain(ModelProduct product) {
    product.convertible = false;
    product.scheme = kBf16;
    product.block_n = product.block_k = 0;
    Keep(std::move(product));
  }

  void Keep(ModelProduct product) {
    if (sharding_.whole()) products_.push_back(std::move(product));
  }

  std::int64_t AttentionLayers() const { return model_.layers - model_.linear_layers; }

  void LatentAttention() {
    sharding_.About(ProductKind::kDense, "attention");
    const std::int64_t heads =
        sharding_.Divide(model_.heads, sharding_.attention(), "attention heads");
    const std::int64_t kv_a = model_.kv_lora + model_.rope_dim;
    const std::int64_t q = heads * (model_.nope_dim + model_.rope_dim);
    const std::int64_t layers = AttentionLayers();
    if (model_.q_lora > 0) {
      Keep(Of("qkv_a", model_.q_lora + kv_a, model_.hidden, Split::kNone, layers,
              {"self_attn.q_a_proj"}));
      Column("q_b", q, model_.q_lora, layers, {"self_attn.q_b_proj"});
    } else {
      Column("q", q, model_.hidden, layers, {"self_attn.q_proj"});
      Keep(Of("kv_a", kv_a, model_.hidden, Split::kNone, layers, {"self_attn.kv_a_proj_with_mqa"}));
    }
    Column("kv_b", heads * (model_.nope_dim + model_.v_dim), model_.kv_lora, layers,
           {"self_attn.kv_b_proj"});
    Row("o", model_.hidden, heads * model_.v_dim, layers, {"self_attn.o_proj"});
    Indexer(layers);
    Absorbed(heads, layers);
  }

  void Column(const char* layer, std::int64_t n, std::int64_t k, std::int64_t layers,
              Modules modules) {
    const ModelProduct product = Of(layer, n, k, Split::kAttention, layers, modules);
    if (sharding_.attention() > 1) sharding_.CheckOutput(product, {n});
    Keep(product);
  }

  void Row(const char* layer, std::int64_t n, std::int64_t k, std::int64_t layers,
           Modules modules) {
    const ModelProduct product = Of(layer, n, k, Split::kAttention, layers, modules);
    if (sharding_.attention() > 1) sharding_.CheckInput(product, k);
    Keep(product);
  }

  // Sparse attention's: every GPU scores for all heads.
  void Indexer(std::int64_t layers) {
    if (model_.index_heads == 0 || model_.index_dim == 0 || model_.q_lora == 0) return;
    Keep(Of("index_q", model_.index_heads * model_.index_dim, model_.q_lora, Split::kNone, layers,
            {"self_attn.indexer.wq_b"}));
    Keep(Of("index_k", model_.index_dim, model_.hidden, Split::kNone, layers,
            {"self_attn.indexer.wk"}));
    Plain(Of("index_weights", model_.index_heads, model_.hidden, Split::kNone, layers, {}));
  }

  // Decoding multiplies by the two halves of kv_b, one matrix a head; weights are unpacked for it.
  void Absorbed(std::int64_t heads, std::int64_t layers) {
    for (const bool values : {false, true}) {
      ModelProduct product =
          Of(values ? "absorbed_v" : "absorbed_k", values ? model_.v_dim : model_.kv_lora,
             values ? model_.kv_lora : model_.nope_dim, Split::kAttention, layers, {});
      product.kind = ProductKind::kBatched;
      product.batch = heads;
      product.scheme = kBf16;
      product.block_n = product.block_k = 0;
      Keep(std::move(product));
    }
  }

  void Attention() {
    sharding_.About(ProductKind::kDense, "attention");
    const std::int64_t gpus = sharding_.attention();
    const std::int64_t heads = sharding_.Divide(model_.heads, gpus, "attention heads");
    const std::int64_t kv_heads = sharding_.DivideOrCopy(model_.kv_heads, gpus, "KV heads");
    const std::int64_t q = heads * model_.head_dim * (model_.output_gate ? 2 : 1);
    const std::int64_t kv = kv_heads * model_.head_dim;
    ModelProduct qkv = Of("qkv", q + 2 * kv, model_.hidden, Split::kAttention, AttentionLayers(),
                          {"self_attn.q_proj", "self_attn.qkv_proj"});
    qkv.bias = model_.qkv_bias;
    sharding_.CheckOutput(qkv, {q, kv});
    Keep(std::move(qkv));
    ModelProduct o = Of("o", model_.hidden, heads * model_.head_dim, Split::kAttention,
                        AttentionLayers(), {"self_attn.o_proj"});
    o.bias = model_.o_bias;
    if (gpus > 1) sharding_.CheckInput(o, o.k);
    Keep(std::move(o));
  }

  void DeltaNet() {
    sharding_.About(ProductKind::kDense, "linear attention");
    const std::int64_t gpus = sharding_.attention(), layers = model_.linear_layers;
    const std::int64_t key =
        sharding_.Divide(model_.linear_key_heads, gpus, "linear key heads") * model_.linear_key_dim;
    const std::int64_t heads =
        sharding_.Divide(model_.linear_value_heads, gpus, "linear value heads");
    const std::int64_t value = heads * model_.linear_value_dim;
    Column("linear_qkvz", 2 * key + 2 * value, model_.hidden, layers,
           {"linear_attn.in_proj_qkvz", "linear_attn.in_proj_qkv"});
    // Two numbers a head: too few for a block.
    Plain(Of("linear_ba", 2 * heads, model_.hidden, Split::kAttention, layers, {}));
    Row("linear_out", model_.hidden, value, layers, {"linear_attn.out_proj"});
  }

  void FeedForward(const char* up_layer, const char* down_layer, std::int64_t width,
                   const char* name, std::int64_t layers, Modules up_modules,
                   Modules down_modules) {
    sharding_.About(ProductKind::kDense, up_layer);
    const std::int64_t inner = sharding_.Divide(width, sharding_.dense(), name);
    const ModelProduct up =
        Of(up_layer, 2 * inner, model_.hidden, Split::kTensor, layers, up_modules);
    sharding_.CheckOutput(up, {inner});
    Keep(up);
    const ModelProduct down =
        Of(down_layer, model_.hidden, inner, Split::kTensor, layers, down_modules);
    if (sharding_.dense() > 1) sharding_.CheckInput(down, inner);
    Keep(down);
  }

  void SharedExperts() {
    if (model_.shared_intermediate == 0) return;
    FeedForward("gate_up", "down", model_.shared_intermediate, "features of shared experts",
                model_.moe_layers,
                {"mlp.shared_experts.gate_proj", "mlp.shared_expert.gate_proj",
                 "feed_forward.shared_expert.gate_proj"},
                {"mlp.shared_experts.down_proj", "mlp.shared_expert.down_proj",
                 "feed_forward.shared_expert.down_proj"});
  }

  void Experts() {
    sharding_.About(ProductKind::kExperts, "experts");
    const std::int64_t width =
        sharding_.Divide(model_.moe_intermediate, sharding_.width(), "moe_intermediate_size");
    sharding_.CheckExperts();
    ModelProduct experts =
        Of("experts", 2 * width, model_.hidden, Split::kExperts, model_.moe_layers,
           {"mlp.experts", "block_sparse_moe.experts", "feed_forward.experts"});
    const std::int64_t fused = parallelism_.fuse_shared_experts ? model_.shared_experts : 0;
    experts.kind = ProductKind::kExperts;
    experts.experts = (model_.experts + parallelism_.ep - 1) / parallelism_.ep + fused;
    experts.topk = model_.topk + fused;
    experts.width = width;
    sharding_.CheckOutput(experts, {width});
    if (sharding_.width() > 1) sharding_.CheckInput(experts, width);
    Keep(std::move(experts));
    sharding_.About(ProductKind::kDense, "router");
    ModelProduct router =
        Of("router", model_.experts, model_.hidden, Split::kNone, model_.moe_layers, {});
    router.bias = model_.router_bias;
    Plain(std::move(router));
  }

  void Head() {
    sharding_.About(ProductKind::kDense, kHead);
    const std::int64_t padded =
        (model_.vocab + kVocabMultiple - 1) / kVocabMultiple * kVocabMultiple;
    const std::int64_t n = sharding_.Divide(padded, sharding_.dense(), "words, padded to 64s,");
    Plain(Of(kHead, n, model_.hidden, Split::kTensor, 1, {}));
  }

  const Model& model_;
  const Parallelism& parallelism_;
  Sharding sharding_;
  std::vector<ModelProduct> products_;
};

}  // namespace

double FlopsPerToken(const ModelProduct& product) {
  const auto k = static_cast<double>(product.k);
  const auto layers = static_cast<double>(std::max<std::int64_t>(product.layers, 1));
  switch (product.kind) {
    case ProductKind::kDense:
      return 2 * static_cast<double>(product.n) * k * layers;
    case ProductKind::kBatched:
      return 2 * static_cast<double>(product.batch) * static_cast<double>(product.n) * k * layers;
    case ProductKind::kExperts:  // gate, up and down of each chosen expert
      return 2 * 3 * static_cast<double>(product.topk) * static_cast<double>(product.width) * k *
             layers;
  }
  return 0;
}

std::string_view Name(ProductKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind));
}

std::string_view Name(Split split) {
  return kSplits.at(static_cast<std::size_t>(split));
}

const SplitFinding* ProductPlan::Missing(ProductKind kind) const {
  // The heads of a dense product are those of a batched one.
  const ProductKind other = kind == ProductKind::kBatched ? ProductKind::kDense : kind;
  const auto found = std::ranges::find_if(findings, [&](const SplitFinding& it) {
    return it.no_shape && it.layer != kHead && (it.kind == kind || it.kind == other);
  });
  return found == findings.end() ? nullptr : &*found;
}

const SplitFinding* ProductPlan::Refusal() const {
  const auto found = std::ranges::find_if(
      findings, [](const SplitFinding& it) { return it.no_shape && it.layer != kHead; });
  return found == findings.end() ? nullptr : &*found;
}

Result<ProductPlan> ProductsOf(const Model& model, const Parallelism& parallelism) {
  const std::int64_t tp = parallelism.tp, ep = parallelism.ep, dp = parallelism.dp_attention;
  if (tp < 1) return Error{"bad_tp", fmt::format("tp must be at least 1, not {}", tp)};
  if (ep < 1 || tp % ep != 0) {
    return Error{"bad_ep",
                 fmt::format("ep must be a number that divides tp, which is {}, not {}", tp, ep)};
  }
  if (dp < 1 || tp % dp != 0) {
    return Error{
        "bad_dp_attention",
        fmt::format("dp-attention must be a number that divides tp, which is {}, not {}", tp, dp)};
  }
  return Products(model, parallelism).Make();
}

Result<std::vector<Projection>> Projections(const Model& model, std::int64_t tp) {
  auto plan = ProductsOf(model, {.tp = tp});
  if (!plan.ok()) return plan.error();
  for (const SplitFinding& it : plan->findings) {
    if (it.no_shape && it.kind == ProductKind::kDense && it.layer != kHead) {
      return Error{it.code, it.detail};
    }
  }
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  std::vector<Projection> projections;
  for (ModelProduct& it : plan->products) {
    const bool quantised = it.kind == ProductKind::kDense && it.layer != "router" &&
                           it.layer != kHead && it.layer != "linear_ba" &&
                           it.layer != "index_weights";
    if (quantised && seen.emplace(it.n, it.k).second) {
      projections.push_back({std::move(it.layer), it.n, it.k});
    }
  }
  return projections;
}

}  // namespace tunehub::core
