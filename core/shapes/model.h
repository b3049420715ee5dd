// The figures of a transformer that determine the shapes of its matrix products. The members have
// the names of Hugging Face's config.json.
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

// A member is 0 or "" if the model lacks this part, or if its config does not state the figure.
struct Model {
  std::string name;
  std::string title, source;  // only for a file of configs/models
  std::int64_t hidden = 0, vocab = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  // heads of full attention
  // heads of the layers whose heads differ (Gemma 4)
  std::int64_t wide_kv_heads = 0, wide_head_dim = 0;
  bool output_gate = false;  // q includes a gate as wide as q
  bool qkv_bias = false, o_bias = false, mlp_bias = false, router_bias = false;
  std::int64_t intermediate = 0;  // the width of dense layers
  std::int64_t experts = 0, topk = 0, moe_intermediate = 0;
  std::int64_t shared_experts = 0;       // number of experts that every token visits
  std::int64_t shared_intermediate = 0;  // their total width
  // Multi-head latent attention. q_lora is 0 if one projection computes q.
  std::int64_t q_lora = 0, kv_lora = 0, nope_dim = 0, rope_dim = 0, v_dim = 0;
  // Groups of heads. Each group has its own output projection (DeepSeek-V4).
  std::int64_t o_groups = 0, o_lora = 0;
  // The indexer of sparse attention, which chooses the tokens for latent attention.
  std::int64_t index_heads = 0, index_dim = 0;
  // Gated delta net.
  std::int64_t linear_key_heads = 0, linear_value_heads = 0;
  std::int64_t linear_key_dim = 0, linear_value_dim = 0;
  std::string activation = "silu";
  Quantization quantization;

  // For each matrix product of configs/architectures.json: its layers, grouped by storage. Empty:
  // no layer contains the matrix product.
  std::map<std::string, std::vector<StoredLayers>, std::less<>> stored;
  std::vector<std::string> notes;   // members that may affect a shape or a scheme
  std::vector<std::string> doubts;  // members that leave a layer's storage unclear
};

struct Architecture;

// Sets layers, intermediate and stored: the parts of each layer and their storage. Precondition:
// experts, index_heads and quantization are set.
void ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model);

// The largest published config.json (MiniMax-M3) has 3 MB, because it has a member for each expert.
inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

// Returns the models of one file. `name`: the file's name, for errors.
// * A file of configs/models ({"name", "title", "source", "config": {members of its config.json}})
//   contains its model first, then its `checkpoints` ({"name", "source", "read",
//   "quantization_config"}). Checkpoints have the same figures with other storage.
// * A config.json of Hugging Face is one model. If the file contains a text_config, only the
//   text_config counts.
// Errors: bad_model, with all missing and wrong members, or an unknown model_type.
Result<std::vector<Model>> ParseModelFile(std::string_view name, std::string_view json);

// The first model of the file.
Result<Model> ParseModel(std::string_view name, std::string_view json);

}  // namespace tunehub::core
