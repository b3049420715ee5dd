// What the shapes of a transformer's matrix products follow from, under the names that Hugging
// Face's config.json uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/text_folder.h"

namespace tunehub::core {

// 0 or "": the model has no such part.
struct Model {
  std::string name;
  std::int64_t hidden = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  // of full attention
  bool output_gate = false;                            // q carries a gate of its own width
  std::int64_t intermediate = 0;                       // of dense layers
  std::int64_t experts = 0, topk = 0, moe_intermediate = 0;
  std::int64_t shared_experts = 0;       // how many of the experts' kind every token visits
  std::int64_t shared_intermediate = 0;  // their width together
  // Multi-head latent attention; q_lora 0: q is projected at once.
  std::int64_t q_lora = 0, kv_lora = 0, nope_dim = 0, rope_dim = 0, v_dim = 0;
  // Gated delta net.
  std::int64_t linear_key_heads = 0, linear_value_heads = 0;
  std::int64_t linear_key_dim = 0, linear_value_dim = 0;
  std::string activation = "silu";
};

// A file of ours ({"name": ..., "figures": {"hidden_size": {"value": ..., "source": ...}}}) or a
// config.json as Hugging Face has it, where text_config, if there is one, counts. `name` stands for
// the file in errors. Errors: bad_model, with every member that is missing or no number.
Result<Model> ParseModel(std::string_view name, std::string_view json);

// The file `folder`/NAME.json, or the file that `name` is a path of (it holds '/' or ends in
// .json). Errors: unknown_model (names those there are), bad_model.
Result<Model> LoadModel(const TextFolder& folder, const std::string& name);

// The names of the folder's files, sorted; empty where there is no such folder.
std::vector<std::string> ModelNames(const TextFolder& folder);

}  // namespace tunehub::core
