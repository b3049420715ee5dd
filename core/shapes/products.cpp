#include "core/shapes/products.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"dense", "batched", "experts"};
constexpr std::array<std::string_view, 4> kSplits = {"none", "attention", "tp", "experts"};

constexpr char kHead[] = "lm_head";
// vLLM and SGLang pad the vocabulary.
constexpr std::int64_t kVocabMultiple = 64;

using Sizes = std::vector<std::int64_t>;

// The products of a model, part by part.
class Products {
 public:
  Products(const Model& model, const Parallelism& parallelism)
      : model_(model), parallelism_(parallelism), sharding_(model, parallelism) {}

  ProductPlan Make() {
    if (model_.kv_lora > 0) {
      LatentAttention();
    } else if (model_.o_groups > 0) {
      CompressedAttention();
    } else {
      Attention("qkv", "o", model_.kv_heads, model_.head_dim);
      if (Made("wide_qkv"))
        Attention("wide_qkv", "wide_o", model_.wide_kv_heads, model_.wide_head_dim);
    }
    if (model_.linear_value_heads > 0) DeltaNet();
    if (Made("conv_in")) Convolution();
    if (model_.intermediate > 0)
      FeedForward("gate_up", "down", model_.intermediate, "intermediate_size");
    if (model_.shared_intermediate > 0) {
      FeedForward("shared_gate_up", "shared_down", model_.shared_intermediate,
                  "features of shared experts");
    }
    if (model_.experts > 0) Experts();
    if (model_.vocab > 0) Head();
    return {std::move(products_), sharding_.Take()};
  }

 private:
  static ModelProduct Of(std::string layer, std::int64_t n, std::int64_t k, Split split) {
    ModelProduct product;
    product.layer = std::move(layer);
    product.n = n;
    product.k = k;
    product.split = split;
    return product;
  }

  const std::vector<StoredLayers>& LayersOf(const char* name) const {
    static const std::vector<StoredLayers> none;
    const auto found = model_.stored.find(name);
    return found == model_.stored.end() ? none : found->second;
  }
  bool Made(const char* name) const { return !LayersOf(name).empty(); }

  void SetScheme(ModelProduct& product, const Stored& stored) const {
    const Quantization& its = model_.quantization;
    const bool own = parallelism_.scheme.empty() || parallelism_.scheme == its.scheme;
    product.convertible = !its.given || stored.scheme != kBf16;
    if (!product.convertible) return;
    product.scheme = own ? stored.scheme : parallelism_.scheme;
    if (own) product.group = stored.group;
    if (product.scheme != kFp8Block) return;
    product.block_n = own ? stored.block_n : kUsualBlock;
    product.block_k = own ? stored.block_k : kUsualBlock;
  }

  // Adds the product once for each storage of its layers. Checks the output parts that are joined
  // to one weight, and `inputs` if they are split. `name`: as in configs/architectures.json.
  void Keep(const char* name, const ModelProduct& product, const Sizes& outputs = {},
            std::int64_t inputs = 0) {
    if (!sharding_.whole()) return;
    for (const StoredLayers& it : LayersOf(name)) {
      ModelProduct& kept = products_.emplace_back(product);
      kept.layers = it.layers;
      SetScheme(kept, it.stored);
      sharding_.CheckOutput(kept, outputs);
      if (inputs > 0) sharding_.CheckInput(kept, inputs);
    }
  }

  // Adds a product with unquantized storage. `convertible`: families of any scheme may use it.
  void Plain(const char* name, ModelProduct product, bool convertible = false) {
    if (!sharding_.whole() || !Made(name)) return;
    product.layers = 0;
    for (const StoredLayers& it : LayersOf(name)) product.layers += it.layers;
    product.convertible = convertible;
    products_.push_back(std::move(product));
  }

  void Column(const char* name, std::int64_t n, std::int64_t k) {
    const bool split = sharding_.attention() > 1;
    Keep(name, Of(name, n, k, Split::kAttention), split ? Sizes{n} : Sizes{});
  }

  void Row(const char* name, std::int64_t n, std::int64_t k) {
    Keep(name, Of(name, n, k, Split::kAttention), {}, sharding_.attention() > 1 ? k : 0);
  }

  void Whole(const char* name, std::int64_t n, std::int64_t k) {
    Keep(name, Of(name, n, k, Split::kNone));
  }

  void LatentAttention() {
    sharding_.About(ProductKind::kDense, "attention");
    const std::int64_t heads =
        sharding_.Divide(model_.heads, sharding_.attention(), "attention heads");
    const std::int64_t kv_a = model_.kv_lora + model_.rope_dim;
    const std::int64_t q = heads * (model_.nope_dim + model_.rope_dim);
    if (model_.q_lora > 0) {
      Whole("qkv_a", model_.q_lora + kv_a, model_.hidden);
      Column("q_b", q, model_.q_lora);
    } else {
      Column("q", q, model_.hidden);
      Whole("kv_a", kv_a, model_.hidden);
    }
    Column("kv_b", heads * (model_.nope_dim + model_.v_dim), model_.kv_lora);
    Row("o", model_.hidden, heads * model_.v_dim);
    if (model_.q_lora > 0) Indexer();
    Absorbed(heads);
  }

  // The indexer of sparse attention. Every GPU computes the scores for all heads.
  void Indexer() {
    if (model_.index_heads == 0 || model_.index_dim == 0) return;
    Whole("index_q", model_.index_heads * model_.index_dim, model_.q_lora);
    // vLLM computes keys and weights by one unquantized product (vllm-project/vllm#38684).
    const bool joined = parallelism_.engine == "vllm" && model_.o_groups == 0;
    if (model_.o_groups == 0 && !joined) Whole("index_k", model_.index_dim, model_.hidden);
    Plain("index_weights",
          Of(joined ? "index_joined" : "index_weights",
             model_.index_heads + (joined ? model_.index_dim : 0), model_.hidden, Split::kNone));
  }

  // Decoding multiplies by the two halves of kv_b, one matrix for each head. Engines dequantize
  // kv_b.
  void Absorbed(std::int64_t heads) {
    for (const bool values : {false, true}) {
      ModelProduct product =
          Of(values ? "absorbed_v" : "absorbed_k", values ? model_.v_dim : model_.kv_lora,
             values ? model_.kv_lora : model_.nope_dim, Split::kAttention);
      product.kind = ProductKind::kBatched;
      product.batch = heads;
      // Families of any scheme may use it, however kv_b is stored.
      Plain("absorbed", std::move(product), true);
    }
  }

  // DeepSeek-V4 has one latent head of keys and values and an output projection for each group of
  // heads. In most layers, keys represent 4 or 128 tokens.
  void CompressedAttention() {
    sharding_.About(ProductKind::kDense, "attention");
    const std::int64_t gpus = sharding_.attention();
    const std::int64_t heads = sharding_.Divide(model_.heads, gpus, "attention heads");
    const std::int64_t groups = sharding_.Divide(model_.o_groups, gpus, "groups of heads");
    Whole("wqa_wkv", model_.q_lora + model_.head_dim, model_.hidden);
    Column("wq_b", heads * model_.head_dim, model_.q_lora);
    ModelProduct wo_a = Of("wo_a", model_.o_lora, model_.heads * model_.head_dim / model_.o_groups,
                           Split::kAttention);
    wo_a.kind = ProductKind::kBatched;
    wo_a.batch = groups;
    Keep("wo_a", wo_a);
    Row("wo_b", model_.hidden, groups * model_.o_lora);
    Indexer();
    // Keys and gates. The windows of 4 tokens overlap, which doubles the width of both.
    Plain("compress_4", Of("compress_4", 4 * model_.head_dim, model_.hidden, Split::kNone));
    Plain("compress_4", Of("index_keys", 4 * model_.index_dim, model_.hidden, Split::kNone));
    Plain("compress_128", Of("compress_128", 2 * model_.head_dim, model_.hidden, Split::kNone));
  }

  void Attention(const char* qkv_name, const char* o_name, std::int64_t kv_heads_of_all,
                 std::int64_t head_dim) {
    sharding_.About(ProductKind::kDense, "attention");
    const std::int64_t gpus = sharding_.attention();
    const std::int64_t heads = sharding_.Divide(model_.heads, gpus, "attention heads");
    const std::int64_t kv_heads = sharding_.DivideOrCopy(kv_heads_of_all, gpus, "KV heads");
    const std::int64_t q = heads * head_dim * (model_.output_gate ? 2 : 1);
    const std::int64_t kv = kv_heads * head_dim;
    ModelProduct qkv = Of("qkv", q + 2 * kv, model_.hidden, Split::kAttention);
    qkv.bias = model_.qkv_bias;
    Keep(qkv_name, qkv, {q, kv});
    ModelProduct o = Of("o", model_.hidden, heads * head_dim, Split::kAttention);
    o.bias = model_.o_bias;
    Keep(o_name, o, {}, gpus > 1 ? heads * head_dim : 0);
  }

  void DeltaNet() {
    sharding_.About(ProductKind::kDense, "linear attention");
    const std::int64_t gpus = sharding_.attention();
    const std::int64_t key =
        sharding_.Divide(model_.linear_key_heads, gpus, "linear key heads") * model_.linear_key_dim;
    const std::int64_t heads =
        sharding_.Divide(model_.linear_value_heads, gpus, "linear value heads");
    const std::int64_t value = heads * model_.linear_value_dim;
    Column("linear_qkvz", 2 * key + 2 * value, model_.hidden);
    // Each head has only two numbers, too few for a block.
    Plain("linear_ba", Of("linear_ba", 2 * heads, model_.hidden, Split::kAttention));
    Row("linear_out", model_.hidden, value);
  }

  // A short convolution between two gates. It replaces attention.
  void Convolution() {
    sharding_.About(ProductKind::kDense, "convolution");
    const std::int64_t inner =
        sharding_.Divide(model_.hidden, sharding_.attention(), "features of convolutions");
    Column("conv_in", 3 * inner, model_.hidden);
    Row("conv_out", model_.hidden, inner);
  }

  void FeedForward(const char* up, const char* down, std::int64_t width, const char* name) {
    sharding_.About(ProductKind::kDense, "gate_up");
    const std::int64_t inner = sharding_.Divide(width, sharding_.dense(), name);
    ModelProduct gate_up = Of("gate_up", 2 * inner, model_.hidden, Split::kTensor);
    ModelProduct out = Of("down", model_.hidden, inner, Split::kTensor);
    gate_up.bias = out.bias = model_.mlp_bias;
    Keep(up, gate_up, {inner});
    Keep(down, out, {}, sharding_.dense() > 1 ? inner : 0);
  }

  void Experts() {
    sharding_.About(ProductKind::kExperts, "experts");
    const std::int64_t width =
        sharding_.Divide(model_.moe_intermediate, sharding_.width(), "moe_intermediate_size");
    sharding_.CheckExperts();
    ModelProduct experts = Of("experts", 2 * width, model_.hidden, Split::kExperts);
    const std::int64_t fused = parallelism_.fuse_shared_experts ? model_.shared_experts : 0;
    experts.kind = ProductKind::kExperts;
    experts.experts = (model_.experts + parallelism_.ep - 1) / parallelism_.ep + fused;
    experts.topk = model_.topk + fused;
    experts.width = width;
    Keep("experts", experts, {width}, sharding_.width() > 1 ? width : 0);
    sharding_.About(ProductKind::kDense, "router");
    ModelProduct router = Of("router", model_.experts, model_.hidden, Split::kNone);
    router.bias = model_.router_bias;
    Plain("router", std::move(router));
  }

  void Head() {
    sharding_.About(ProductKind::kDense, kHead);
    const std::int64_t padded =
        (model_.vocab + kVocabMultiple - 1) / kVocabMultiple * kVocabMultiple;
    const std::int64_t n = sharding_.Divide(padded, sharding_.dense(),
                                            "vocabulary entries (padded to a multiple of 64)");
    if (!sharding_.whole()) return;
    ModelProduct head = Of(kHead, n, model_.hidden, Split::kTensor);
    head.layers = 1;
    head.convertible = false;
    if (model_.quantization.head) SetScheme(head, model_.quantization);
    products_.push_back(std::move(head));
  }

  const Model& model_;
  const Parallelism& parallelism_;
  Sharding sharding_;
  std::vector<ModelProduct> products_;
};

}  // namespace

double FlopsPerToken(const ModelProduct& product) {
  const bool routed = product.kind == ProductKind::kExperts;
  // Each chosen expert has three products: gate, up and down.
  const auto outputs = static_cast<double>(routed ? 3 * product.topk * product.width : product.n);
  const auto batch = static_cast<double>(std::max<std::int64_t>(product.batch, 1));
  const auto layers = static_cast<double>(std::max<std::int64_t>(product.layers, 1));
  return 2 * batch * outputs * static_cast<double>(product.k) * layers;
}

std::string_view Name(ProductKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind));
}

std::string_view Name(Split split) {
  return kSplits.at(static_cast<std::size_t>(split));
}

const SplitFinding* ProductPlan::Refusal(std::optional<ProductKind> kind) const {
  const auto found = std::ranges::find_if(findings, [&](const SplitFinding& it) {
    // A batched product has no whole heads if a dense product has none.
    const bool heads = kind == ProductKind::kBatched && it.kind == ProductKind::kDense;
    return it.no_shape && it.layer != kHead && (!kind || it.kind == kind || heads);
  });
  return found == findings.end() ? nullptr : &*found;
}

std::vector<SplitFinding> NotesOf(const Model& model) {
  std::vector<SplitFinding> notes;
  const auto add = [&](const char* code, const std::string& detail) {
    notes.push_back({code, detail, false, false, "", ProductKind::kDense});
  };
  for (const std::string& it : model.doubts) add("unknown_scheme", it);
  for (const std::string& it : model.notes) add("unknown_member", it);
  return notes;
}

Result<ProductPlan> ProductsOf(const Model& model, const Parallelism& parallelism) {
  const std::int64_t tp = parallelism.tp, ep = parallelism.ep, dp = parallelism.dp_attention;
  if (tp < 1) return Error{"bad_tp", fmt::format("tp must be at least 1, but is {}", tp)};
  if (ep < 1 || tp % ep != 0) {
    return Error{"bad_ep", fmt::format("ep must divide tp ({}), but ep is {}", tp, ep)};
  }
  if (dp < 1 || tp % dp != 0) {
    return Error{"bad_dp_attention",
                 fmt::format("dp-attention must divide tp ({}), but dp-attention is {}", tp, dp)};
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
    const bool quantised = it.kind == ProductKind::kDense && it.convertible && it.layer != kHead;
    if (quantised && seen.emplace(it.n, it.k).second) {
      projections.push_back({std::move(it.layer), it.n, it.k});
    }
  }
  return projections;
}

}  // namespace tunehub::core
