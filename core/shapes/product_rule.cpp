// A product's rules in a family, the cells of its rows, and the division of its figures among GPUs.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "core/row/cell.h"
#include "core/shapes/model_shapes.h"
#include "core/shapes/products.h"
#include "core/shapes/shape.h"

namespace tunehub::core {
namespace {

// A rule without schemes applies to every product that can be quantized.
bool Takes(const ProductRule& rule, const ModelProduct& product, std::string_view scheme) {
  if (rule.schemes.empty()) return product.convertible;
  return std::ranges::find(rule.schemes, scheme) != rule.schemes.end();
}

// Returns a figure by its name in a rule; 0: unknown name.
std::int64_t FigureOf(std::string_view name, const ModelProduct& product, std::int64_t m) {
  if (name == "m") return m;
  if (name == "n") return product.n;
  if (name == "k" || name == "model") return product.k;
  if (name == "batch") return product.batch;
  if (name == "experts") return product.experts;
  if (name == "topk") return product.topk;
  if (name == "width") return product.width;
  if (name == "block_n") return product.block_n;
  return name == "block_k" ? product.block_k : 0;
}

std::string PlaceText(std::string_view place, const ModelProduct& product, std::int64_t m,
                      std::string_view device, std::string_view gfx) {
  if (place == "device") return std::string(device);
  if (place == "gfx") return std::string(gfx);
  if (place == "bucket") return "M_LEQ_" + std::to_string(PaddedMGl1(m, 0));
  const std::size_t colon = place.find(':');
  std::int64_t figure = FigureOf(place.substr(0, colon), product, m);
  if (colon != std::string_view::npos) {
    const std::int64_t multiple = ParseInt64(place.substr(colon + 1)).value_or(1);
    if (multiple > 0) figure = (figure + multiple - 1) / multiple * multiple;
  }
  return std::to_string(figure);
}

// An operand type: its short name, AITER's names, and its scales.
struct Operand {
  std::string_view name, dtype, fnuz_dtype, q_type;
};

constexpr std::array<Operand, 5> kOperands = {{
    {"bf16", "torch.bfloat16", "torch.bfloat16", "QuantType.No"},
    {"fp8", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz", "QuantType.per_Token"},
    {"fp8_block", "torch.float8_e4m3fn", "torch.float8_e4m3fnuz", "QuantType.per_1x128"},
    {"int8", "torch.int8", "torch.int8", "QuantType.per_Token"},
    {"fp4", "torch.float4_e2m1fn_x2", "torch.float4_e2m1fn_x2", "QuantType.per_1x32"},
}};

// Columns whose value does not depend on the operands.
struct Fixed {
  std::string_view column, value;
};

constexpr std::array<Fixed, 7> kFixed = {{
    {"bias", "False"},
    {"scaleAB", "False"},
    {"bpreshuffle", "False"},
    {"dtype", "torch.bfloat16"},
    {"outdtype", "torch.bfloat16"},
    {"use_g1u1", "1"},
    {"doweight_stage1", "0"},
}};

struct Activation {
  std::string_view hidden_act, act_type;
};

constexpr std::array<Activation, 5> kActivations = {{
    {"silu", "ActivationType.Silu"},
    {"gelu", "ActivationType.Gelu"},
    {"gelu_pytorch_tanh", "ActivationType.Gelu"},
    {"swiglu", "ActivationType.Swiglu"},
    {"swigluoai", "ActivationType.Swiglu"},
}};

std::string DtypeOf(const Operand& operand, const ShapeOptions& options) {
  return std::string(options.fnuz ? operand.fnuz_dtype : operand.dtype);
}

Result<std::string> OperandColumn(const Column& column, const Family& family,
                                  const ShapeOptions& options) {
  const std::string_view usual = column.DefaultCell();
  std::string_view wanted = options.dtype;
  if (wanted.empty()) wanted = family.metric.formula == "fmoe" ? "fp8_block" : "fp8";
  std::string known;
  for (const Operand& operand : kOperands) {
    const bool asked =
        options.dtype.empty() && !usual.empty() ? operand.dtype == usual : operand.name == wanted;
    known += (known.empty() ? "" : ", ") + std::string(operand.name);
    if (!asked) continue;
    return column.name == "q_type" ? std::string(operand.q_type) : DtypeOf(operand, options);
  }
  return Error{"bad_dtype", fmt::format("unknown dtype '{}'; known dtypes: {}", wanted, known)};
}

// Returns the numbers to add to topk: for each engine the number of its first rule that applies. If
// the options name an engine with such a rule, only that rule counts.
std::vector<std::int64_t> AddedBy(const Family& family, const ShapeOptions& options,
                                  std::int64_t topk) {
  std::vector<std::int64_t> of_all;
  std::set<std::string> engines;
  for (const EpRule& rule : family.lookup.ep) {
    const bool holds =
        options.aiter.empty() || VersionNumbers(options.aiter) >= VersionNumbers(rule.aiter_from);
    if (!holds || !engines.insert(rule.engine).second) continue;
    std::vector<std::int64_t> added = options.fuse_shared_experts ? rule.fused : rule.routed;
    if (added.empty()) added.push_back(-1 - topk);
    if (rule.engine == options.engine) return added;
    for (const std::int64_t it : added) {
      if (std::ranges::find(of_all, it) == of_all.end()) of_all.push_back(it);
    }
  }
  return of_all;
}

constexpr char kVllm[] = "vllm";

std::string GpusText(const Parallelism& parallelism, std::int64_t gpus) {
  if (gpus == parallelism.tp) return fmt::format("tp {}", gpus);
  return fmt::format("tp {} with dp-attention {} and ep {}: {} GPUs", parallelism.tp,
                     parallelism.dp_attention, parallelism.ep, gpus);
}

}  // namespace

std::vector<const ProductRule*> RulesOf(const Family& family, const ModelProduct& product,
                                        bool quantized, SchemeChoice choice) {
  std::vector<const ProductRule*> own, any;
  for (const ProductRule& rule : family.products) {
    if (rule.of != Name(product.kind)) continue;
    if (Takes(rule, product, product.scheme)) own.push_back(&rule);
    // A rule with columns contains words of its own schemes, so it fits no other scheme.
    const bool could = product.convertible || Takes(rule, product, kBf16);
    if (could && rule.columns.empty()) any.push_back(&rule);
  }
  if (!own.empty() || (choice == SchemeChoice::kOwn && quantized)) return own;
  if (choice == SchemeChoice::kOwn && !product.convertible) return own;
  return any;
}

std::string Filled(std::string_view text, const ModelProduct& product, std::int64_t m,
                   std::string_view device, std::string_view gfx) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;  // cannot happen, because the loader refuses it
    filled += PlaceText(text.substr(open + 1, close - open - 1), product, m, device, gfx);
    text.remove_prefix(close + 1);
  }
  return filled;
}

Result<std::string> DefaultOf(const Column& column, const Family& family, const Model& model,
                              const ShapeOptions& options) {
  if (column.role == Role::kTarget || column.optional) return std::string();
  if (column.name.starts_with("q_")) return OperandColumn(column, family, options);
  if (column.name == "act_type") {
    for (const Activation& activation : kActivations) {
      if (activation.hidden_act == model.activation) return std::string(activation.act_type);
    }
    return Error{
        "bad_column",
        fmt::format("act_type: the activation '{}' of {} is unknown; pass a value for this column",
                    model.activation, model.name)};
  }
  const auto fixed = std::ranges::find(kFixed, column.name, &Fixed::column);
  if (fixed != kFixed.end()) return std::string(fixed->value);
  // The value of the column for files that lack it.
  if (!column.missing.empty()) return std::string(column.DefaultCell());
  return Error{"bad_column",
               column.name + " cannot be computed from a model; pass a value for this column"};
}

std::vector<std::int64_t> EpTopks(const Family& family, const ModelProduct& product,
                                  const ShapeOptions& options, SplitFinding& note) {
  std::vector<std::int64_t> topks;
  if (product.kind != ProductKind::kExperts || options.ep == 1 || family.lookup.ep.empty() ||
      options.columns.contains("topk"))
    return topks;
  std::vector<std::int64_t> impossible;
  for (const std::int64_t it : AddedBy(family, options, product.topk)) {
    const std::int64_t topk = product.topk + it;
    (topk < family.columns[family.Find("topk")].min ? impossible : topks).push_back(topk);
  }
  note.code = "ep_topk";
  note.kind = ProductKind::kExperts;
  note.layer = product.layer;
  note.detail = fmt::format(
      "with ep {}, AITER {} looks up experts with topk {} and the {} experts of one GPU; without "
      "ep, with topk {}",
      options.ep, options.aiter.empty() ? "(newest)" : options.aiter,
      fmt::join(impossible.empty() ? topks : impossible, " or "), product.experts, product.topk);
  if (topks.size() > 1) note.detail += "; all are listed, because the right topk is unknown";
  if (!impossible.empty()) note.detail += "; no row can have this topk";
  return topks;
}

// In vLLM, data parallelism covers everything except the experts; in SGLang, only attention.
Sharding::Sharding(const Model& model, const Parallelism& parallelism)
    : model_(model),
      parallelism_(parallelism),
      attention_(parallelism.tp / parallelism.dp_attention),
      dense_(parallelism.engine == kVllm ? attention_ : parallelism.tp),
      width_(parallelism.tp / parallelism.ep) {}

void Sharding::About(ProductKind kind, std::string layer) {
  kind_ = kind;
  layer_ = std::move(layer);
  whole_ = true;
}

void Sharding::Add(const char* code, std::string detail, bool refused, bool no_shape) {
  if (std::ranges::find(findings_, detail, &SplitFinding::detail) != findings_.end()) return;
  findings_.push_back({code, std::move(detail), refused, no_shape, layer_, kind_});
}

void Sharding::NoShape(std::int64_t figure, std::int64_t gpus, const char* name) {
  whole_ = false;
  Add("bad_tp",
      fmt::format("{} cannot divide the {} {} of {} evenly", GpusText(parallelism_, gpus), figure,
                  name, model_.name),
      true, true);
}

std::int64_t Sharding::Divide(std::int64_t figure, std::int64_t gpus, const char* name) {
  if (figure % gpus != 0) NoShape(figure, gpus, name);
  return figure / gpus;
}

std::int64_t Sharding::DivideOrCopy(std::int64_t heads, std::int64_t gpus, const char* name) {
  if (heads >= gpus || heads == 0) return Divide(heads, gpus, name);
  if (gpus % heads != 0) {
    NoShape(heads, gpus, name);
  } else {
    Add("kv_heads_copied",
        fmt::format("{} has {} {}, but there are {} GPUs, so each is copied to {}", model_.name,
                    heads, name, gpus, gpus / heads),
        false);
  }
  return 1;
}

void Sharding::CheckOutput(const ModelProduct& product, const std::vector<std::int64_t>& parts) {
  if (product.block_n == 0) return;
  for (const std::int64_t part : parts) {
    if (part % product.block_n == 0) continue;
    Add("block",
        fmt::format("{} has {} outputs on each GPU, which must be a multiple of {} (the height of "
                    "a scale's block); vLLM and SGLang refuse this split",
                    product.layer, part, product.block_n),
        true);
    return;
  }
}

void Sharding::CheckInput(const ModelProduct& product, std::int64_t inputs) {
  const std::int64_t group = product.group;
  if (product.block_k > 0 && inputs % product.block_k != 0) {
    Add("block",
        fmt::format("{} has {} inputs on each GPU, which must be a multiple of {} (the width of a "
                    "scale's block); vLLM and SGLang refuse this split",
                    product.layer, inputs, product.block_k),
        true);
  }
  if (product.scheme == kInt4 && group > 0 && inputs % group != 0) {
    Add("group",
        fmt::format("{} has {} inputs on each GPU, which must be a multiple of {} (the inputs that "
                    "share a scale); vLLM and SGLang refuse this split",
                    product.layer, inputs, group),
        true);
  }
}

void Sharding::CheckExperts() {
  const std::int64_t ep = parallelism_.ep;
  if (model_.experts % ep == 0) return;
  const std::int64_t least = model_.experts / ep, more = model_.experts % ep;
  Add("uneven_experts",
      fmt::format("ep {} cannot divide the {} experts of {} evenly. SGLang refuses this split; "
                  "vLLM gives {} GPUs {} experts each, and the other GPUs {}",
                  ep, model_.experts, model_.name, more, least + 1, least),
      parallelism_.engine != kVllm);
}

}  // namespace tunehub::core
