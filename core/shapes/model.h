// What the shapes of a transformer's matrix products follow from, under the names that Hugging
// Face's config.json uses.
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

// 0 or "": the model has no such part, or its config does not say.
struct Model {
  std::string name;
  std::string title, source;  // of a file of ours
  std::int64_t hidden = 0, vocab = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  // of full attention
  std::int64_t wide_kv_heads = 0, wide_head_dim = 0;   // of layers with other heads (Gemma 4)
  bool output_gate = false;                            // q carries a gate of its own width
  bool qkv_bias = false, o_bias = false, mlp_bias = false, router_bias = false;
  std::int64_t intermediate = 0;  // of dense layers
  std::int64_t experts = 0, topk = 0, moe_intermediate = 0;
  std::int64_t shared_experts = 0;       // how many of the experts' kind every token visits
  std::int64_t shared_intermediate = 0;  // their width together
  // Multi-head latent attention; q_lora 0: q is projected at once.
  std::int64_t q_lora = 0, kv_lora = 0, nope_dim = 0, rope_dim = 0, v_dim = 0;
  // Heads whose outputs are projected together (DeepSeek-V4).
  std::int64_t o_groups = 0, o_lora = 0;
  // The indexer of sparse attention, which chooses what latent attention looks at.
  std::int64_t index_heads = 0, index_dim = 0;
  // Gated delta net.
  std::int64_t linear_key_heads = 0, linear_value_heads = 0;
  std::int64_t linear_key_dim = 0, linear_value_dim = 0;
  std::string activation = "silu";
  Quantization quantization;

  // Of each product that configs/architectures.json names: its layers, by how they store it. Empty:
  // no layer has it.
  std::map<std::string, std::vector<StoredLayers>, std::less<>> stored;
  std::vector<std::string> notes;   // members that may change a shape or a scheme
  std::vector<std::string> doubts;  // members that leave open how a layer is stored
};

struct Architecture;

// Which layers of the model have which parts, and how they store them: sets layers, intermediate
// and stored. Precondition: experts, index_heads and quantization are read.
void ReadLayers(ConfigFigures& figures, const Architecture& architecture, Model& model);

// The largest config.json of a published model has 3 MB: a member for each expert (MiniMax-M3).
inline constexpr std::size_t kMaxConfigBytes = std::size_t{4} << 20;

// The models of one text. A file of ours ({"name", "title", "source", "config": {members of its
// config.json}}) has its model first, then each of its `checkpoints` ({"name", "source", "read",
// "quantization_config"}): the same figures, stored another way. A config.json as Hugging Face has
// it is one model, of which text_config, if there is one, counts. `name` stands for the file in
// errors. Errors: bad_model, with every member that is missing or no number, and a model_type that
// no architecture has.
Result<std::vector<Model>> ParseModelFile(std::string_view name, std::string_view json);

// The first of them.
Result<Model> ParseModel(std::string_view name, std::string_view json);

}  // namespace tunehub::core
