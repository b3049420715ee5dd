#include <fmt/core.h>

#include <algorithm>

#include "core/shapes/products.h"

namespace tunehub::core {
namespace {

constexpr char kVllm[] = "vllm";

std::string GpusText(const Parallelism& parallelism, std::int64_t gpus) {
  if (gpus == parallelism.tp) return fmt::format("tp {}", gpus);
  return fmt::format("tp {} with dp-attention {} and ep {}: {} GPUs", parallelism.tp,
                     parallelism.dp_attention, parallelism.ep, gpus);
}

}  // namespace

// vLLM's data parallelism is of the whole model but the experts; SGLang's of the attention alone.
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
      fmt::format("{} does not divide the {} {} of {}", GpusText(parallelism_, gpus), figure, name,
                  model_.name),
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
        fmt::format("{} has {} {}, fewer than the {} GPUs: each is held by {}", model_.name, heads,
                    name, gpus, gpus / heads),
        false);
  }
  return 1;
}

void Sharding::CheckOutput(const ModelProduct& product, const std::vector<std::int64_t>& parts) {
  if (product.block_n == 0) return;
  for (const std::int64_t part : parts) {
    if (part % product.block_n == 0) continue;
    Add("block",
        fmt::format("{} has a part of {} outputs on each GPU, no multiple of {}, its blocks' "
                    "height: vLLM and SGLang refuse it",
                    product.layer, part, product.block_n),
        true);
    return;
  }
}

void Sharding::CheckInput(const ModelProduct& product, std::int64_t inputs) {
  const std::int64_t group = product.group;
  if (product.block_k > 0 && inputs % product.block_k != 0) {
    Add("block",
        fmt::format("{} has {} inputs on each GPU, no multiple of {}, its blocks' width: vLLM and "
                    "SGLang refuse it",
                    product.layer, inputs, product.block_k),
        true);
  }
  if (product.scheme == kInt4 && group > 0 && inputs % group != 0) {
    Add("group",
        fmt::format("{} has {} inputs on each GPU, no multiple of {}, which share a scale: vLLM "
                    "and SGLang refuse it",
                    product.layer, inputs, group),
        true);
  }
}

void Sharding::CheckExperts() {
  const std::int64_t ep = parallelism_.ep;
  if (model_.experts % ep == 0) return;
  const std::int64_t least = model_.experts / ep, more = model_.experts % ep;
  Add("uneven_experts",
      fmt::format("ep {} does not divide the {} experts of {}: SGLang refuses it, vLLM gives {} "
                  "GPUs {} and the others {}",
                  ep, model_.experts, model_.name, more, least + 1, least),
      parallelism_.engine != kVllm);
}

}  // namespace tunehub::core
