// The figures of a transformer from which the shapes of its matrix products follow, named as in
// Hugging Face's config.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/quantization.h"

namespace tunehub::core {

// 0 or "": the model lacks this part, or its config does not give it.
struct Model {
  std::string name;
  std::string title, source;  // only of a file in configs/models
  std::int64_t hidden = 0, vocab = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  // of full attention
  std::int64_t wide_kv_heads = 0, wide_head_dim = 0;   // of layers with other heads (Gemma 4)
  bool output_gate = false;                            // q includes a gate of its own width
  bool qkv_bias = false, o_bias = false, mlp_bias = false, router_bias = false;
  std::int64_t intermediate = 0;  // of dense layers
  std::int64_t experts = 0, topk = 0, moe_intermediate = 0;
  std::int64_t shared_experts = 0;       // number of experts that every token visits
  std::int64_t shared_intermediate = 0;  // their total width
  // Multi-head latent attention; q_lora 0: one projection makes q.
  std::int64_t q_lora = 0, kv_lora = 0, nope_dim = 0, rope_dim = 0, v_dim = 0;
  // Groups of heads with one output projection each (DeepSeek-V4).
  std::int64_t o_groups = 0, o_lora = 0;
  // The indexer of sparse attention chooses the tokens for latent attention.
  std::int64_t index_heads = 0, index_dim = 0;
  // Gated delta net.
  std::int64_t linear_key_heads = 0, linear_value_heads = 0;
  std::int64_t linear_key_dim = 0, linear_value_dim = 0;
  std::string activation = "silu";
  Quantization quantization;

  // For each product in configs/architectures.json, its layers by storage; empty: no layer has the
  // product.
  std::map<std::string, std::vector<StoredLayers>, std::less<>> stored;
  std::vector<std::string> notes;   // members that may change a shape or a scheme
  std::vector<std::string> doubts;  // members that do not tell how a layer is stored
};

struct Architecture;

// Sets layers, intermediate and stored: which layers have which parts, and how they store them.
// Precondition: experts, index_heads and quantization are set.
void ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model);

// The largest published config.json has 3 MB: a member for each expert (MiniMax-M3).
inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

// The models of one file:
// * A file of configs/models ({"name", "title", "source", "config": {members of its config.json}})
//   has its model first, then its `checkpoints` ({"name", "source", "read",
//   "quantization_config"}): the same figures with other storage.
// * A config.json of Hugging Face is one model; its text_config counts if there is one.
// `name`: the file's, for errors. Error bad_model: all missing and wrong members, or an unknown
// model_type.
Result<std::vector<Model>> ParseModelFile(std::string_view name, std::string_view json);

// The first model of the file.
Result<Model> ParseModel(std::string_view name, std::string_view json);

}  // namespace tunehub::core
