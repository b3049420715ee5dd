#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/shapes/config_figures.h"
#include "core/shapes/model.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;

// More layers than any model has; limits loops.
constexpr std::int64_t kMaxLayers = 10'000;
constexpr std::array kMixers = {"wide", "conv", "linear"};  // replace attention in some layers

struct LayerList {
  std::vector<std::int64_t> layers;
  bool counted = true;  // false: the layers are unknown, and `layers` contains the first
};
// By the part's name in architectures.json: "attention", "linear", "experts", ...
using LayerLists = std::map<std::string, LayerList>;

class Layers {
 public:
  Layers(ConfigFigures& figures, const Architecture& architecture, Model& model)
      : figures_(figures), architecture_(architecture), model_(model) {}

  LayerLists Read() {
    model_.layers = figures_.Optional("num_hidden_layers", 0);
    if (model_.layers > kMaxLayers) {
      figures_.Complain("num_hidden_layers",
                        fmt::format("must be at most {}, but is {}", kMaxLayers, model_.layers));
      model_.layers = 0;
    }
    Mixers();
    FeedForward();
    if (model_.index_heads > 0) Indexers();
    All("every");
    return std::move(lists_);
  }

 private:
  // Attention, or the part that replaces it.
  void Mixers() {
    const std::int64_t every = figures_.Optional("full_attention_interval", 0);
    // With latent attention, all layers are of one kind.
    const bool one_kind = architecture_.Has("latent") || architecture_.Has("compressed");
    if (!one_kind && (ByLayer("layer_types") || ByLayer("attn_type_list"))) return;
    const auto other =
        std::ranges::find_if(kMixers, [&](const char* it) { return architecture_.Has(it); });
    if (other == kMixers.end()) return All("attention");
    if (!architecture_.Has("linear") || every <= 0 || model_.layers == 0)
      return Uncounted("layer_types", {"attention", *other});
    for (std::int64_t i = 0; i < model_.layers; ++i)
      lists_[(i + 1) % every == 0 ? "attention" : "linear"].layers.push_back(i);
  }

  // Indexing layers choose keys. Each other layer uses the choice of an earlier layer.
  void Indexers() {
    const std::int64_t every = figures_.Optional("index_topk_freq", 1);
    const std::int64_t offset = figures_.Optional("index_skip_topk_offset", 2);
    if (ByLayer("indexer_types") || ByLayer("compress_ratios")) return;
    if (architecture_.Has("compressed"))
      return Uncounted("compress_ratios", {"indexed", "compressed"});
    if (every <= 1 || model_.layers == 0) return All("indexed");
    for (std::int64_t i = 0; i < model_.layers; ++i)
      if (std::max<std::int64_t>(i - offset + 1, 0) % every == 0)
        lists_["indexed"].layers.push_back(i);
  }

  void FeedForward() {
    const bool beside = architecture_.Has("beside");
    if (model_.experts == 0 || beside) All("dense");
    if (model_.experts > 0) beside ? All("experts") : ExpertLayers();
  }

  void ExpertLayers() {
    const Json* const by_layer = figures_.Find("moe_layer_freq");
    const bool listed = by_layer != nullptr && by_layer->is_array();
    // Members that say which layers have experts: not the first, every n-th, not these, only these.
    const std::int64_t dense_first = figures_.Optional("first_k_dense_replace", 0);
    const std::int64_t last_of = figures_.Optional("decoder_sparse_step", 1);
    const std::int64_t first_of = listed ? 1 : figures_.Optional("moe_layer_freq", 1);
    const Json* const dense = Numbers("mlp_only_layers");
    const Json* const sparse = Numbers("moe_layers");
    if (ByLayer("mlp_layer_types") || (listed && ByLayer("moe_layer_freq"))) return;
    if (model_.layers == 0) {
      lists_["experts"] = {{0}, false};
      if (dense_first > 0 || dense != nullptr) lists_["dense"] = {{0}, false};
      return;
    }
    for (std::int64_t i = 0; i < model_.layers; ++i) {
      const auto in = [&](const Json* list) {
        return std::ranges::find(*list, Json(i)) != list->end();
      };
      bool has = i >= dense_first && (dense == nullptr || !in(dense)) && last_of > 0 &&
                 (i + 1) % last_of == 0 && (first_of <= 1 || i % first_of == 0);
      if (sparse != nullptr) has = in(sparse);
      lists_[has ? "experts" : "dense"].layers.push_back(i);
    }
  }

  void All(const std::string& part) {
    LayerList& list = lists_[part];
    list = {{}, model_.layers > 0};
    for (std::int64_t i = 0; i < std::max<std::int64_t>(model_.layers, 1); ++i)
      list.layers.push_back(i);
  }

  void Uncounted(const char* member, std::initializer_list<const char*> parts) {
    for (const char* part : parts) lists_[part] = {{0}, false};
    figures_.remarks().notes.push_back(
        fmt::format("{} is missing, so it is unknown how many layers have each matrix product",
                    figures_.PathOf(member)));
  }

  const Json* Numbers(const char* member) {
    const Json* const list = figures_.List(member);
    if (list == nullptr ||
        std::ranges::all_of(*list, [](const Json& it) { return it.is_number_integer(); }))
      return list;
    figures_.Complain(member,
                      fmt::format("must contain only numbers, but is {}", Excerpt(list->dump())));
    return nullptr;
  }

  // Returns false if there is no such list. Entries beyond the model's layers belong to layers that
  // predict further tokens.
  bool ByLayer(const char* member) {
    const Json* const list = figures_.List(member);
    if (list == nullptr) return false;
    if (static_cast<std::int64_t>(list->size()) < model_.layers) {
      figures_.Complain(member, fmt::format("has {} entries, but the model has {} layers",
                                            list->size(), model_.layers));
      return true;
    }
    for (std::int64_t i = 0; i < model_.layers; ++i) {
      const Json& said = (*list)[static_cast<std::size_t>(i)];
      const std::string entry = said.is_string() ? said.get<std::string>() : said.dump();
      const std::string* const part = PartCalled(member, entry);
      if (part == nullptr) {
        figures_.Complain(fmt::format("{}/{}", member, i),
                          fmt::format("is an unknown kind of layer: {}", Excerpt(said.dump())));
        return true;
      }
      const bool wide = architecture_.Has("wide") && entry == "full_attention";
      if (!part->empty()) lists_[wide ? "wide" : *part].layers.push_back(i);
    }
    return true;
  }

  ConfigFigures& figures_;
  const Architecture& architecture_;
  Model& model_;
  LayerLists lists_;
};

// Returns how one layer stores the modules of a product; nullopt if the modules differ.
std::optional<Stored> StoredIn(const Quantization& quantization, const ProductModules& modules,
                               std::int64_t layer, std::int64_t& steps) {
  std::optional<Stored> all;
  for (const std::string& module : modules.of) {
    std::vector<std::string> names = modules.joined;
    names.push_back(module);
    Stored its = quantization.Of(names, layer, steps);
    if (all && *all != its) return std::nullopt;
    all = std::move(its);
  }
  return all ? *all : Stored();
}

void Add(std::vector<StoredLayers>& to, const Stored& stored, std::int64_t layers) {
  auto known = std::ranges::find(to, stored, &StoredLayers::stored);
  if (known == to.end()) known = to.insert(to.end(), {stored, 0});
  known->layers += layers;
}

}  // namespace

void ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model) {
  const LayerLists lists = Layers(figures, architecture, model).Read();
  // A config may contain intermediate_size although no layer is dense.
  const auto dense = lists.find("dense");
  if (dense != lists.end() && !dense->second.layers.empty())
    model.intermediate = figures.Required("intermediate_size");
  figures.Find("intermediate_size");
  std::int64_t steps = Pattern::kMostSteps;
  for (const auto& [product, modules] : architecture.modules) {
    std::vector<StoredLayers>& stored = model.stored[product];
    const auto list = lists.find(modules.in);
    if (list == lists.end()) continue;
    const std::int64_t each = list->second.counted ? 1 : 0;
    bool differ = false;
    for (const std::int64_t layer : list->second.layers) {
      const auto its = StoredIn(model.quantization, modules, layer, steps);
      if (!its && !differ)
        figures.Doubt("quantization_config",
                      fmt::format(" stores parts of {} in layer {} differently", product, layer));
      differ = differ || !its;
      Add(stored, its.value_or(Stored{"unlike", 0, 0, 0}), each);
    }
  }
  if (steps < 0)
    figures.Complain("quantization_config", "has patterns that take too much time to match");
}

}  // namespace tunehub::core
