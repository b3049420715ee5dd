#include "core/shapes/model_layers.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::core {
namespace {

// More than any model has; a loop goes over them.
constexpr std::int64_t kMaxLayers = 10'000;

bool IsListed(const nlohmann::json* list, std::int64_t layer) {
  return list != nullptr && std::ranges::find(*list, nlohmann::json(layer)) != list->end();
}

// How architectures say which layers have experts: the first ones have none, every n-th has, these
// have none, one number a layer.
class ExpertLayers {
 public:
  explicit ExpertLayers(ConfigFigures& figures)
      : dense_first_(figures.Optional({"first_k_dense_replace"}, 0)),
        last_of_(figures.Optional({"decoder_sparse_step", "interleave_moe_layer_step"}, 1)),
        dense_(figures.List("mlp_only_layers")),
        by_layer_(figures.List("moe_layer_freq")),
        first_of_(by_layer_ != nullptr ? 1 : figures.Optional({"moe_layer_freq"}, 1)) {}

  bool Has(std::int64_t layer) const {
    if (layer < dense_first_ || IsListed(dense_, layer)) return false;
    if (by_layer_ != nullptr && layer < static_cast<std::int64_t>(by_layer_->size())) {
      return (*by_layer_)[static_cast<std::size_t>(layer)] != 0;
    }
    if (last_of_ == 0) return false;
    return (layer + 1) % last_of_ == 0 && (first_of_ <= 1 || layer % first_of_ == 0);
  }

 private:
  std::int64_t dense_first_, last_of_;
  const nlohmann::json* dense_;
  const nlohmann::json* by_layer_;
  std::int64_t first_of_;
};

}  // namespace

void ReadLayers(ConfigFigures& figures, Model& model) {
  model.layers = figures.Optional({"num_hidden_layers"}, 0);
  if (model.layers > kMaxLayers) {
    figures.Complain(
        fmt::format("num_hidden_layers must be at most {}, not {}", kMaxLayers, model.layers));
    model.layers = 0;
  }
  if (model.experts > 0) {
    const ExpertLayers experts(figures);
    for (std::int64_t i = 0; i < model.layers; ++i) model.moe_layers += experts.Has(i) ? 1 : 0;
  }
  if (model.linear_value_heads == 0) return;
  if (const auto* types = figures.List("layer_types")) {
    model.linear_layers = std::ranges::count(*types, nlohmann::json("linear_attention"));
  } else if (const std::int64_t every = figures.Optional({"full_attention_interval"}, 0)) {
    model.linear_layers = model.layers - model.layers / every;
  }
  model.linear_layers = std::min(model.linear_layers, model.layers);
}

bool HasDenseLayers(ConfigFigures& figures, const Model& model) {
  if (model.experts == 0) return true;
  if (model.layers > 0) return model.dense_layers() > 0;
  return figures.Optional({"first_k_dense_replace"}, 0) > 0 ||
         figures.List("mlp_only_layers") != nullptr;
}

}  // namespace tunehub::core
