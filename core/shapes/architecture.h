// What a model's layers compute, by the model_type of its config.json, as
// configs/architectures.json says it; that file is compiled in.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tunehub::core {

// The modules of one product.
struct ProductModules {
  std::string in;                   // the layers that have it: "attention", "experts", ...
  std::vector<std::string> of;      // what a checkpoint stores: "self_attn.q_proj", ...
  std::vector<std::string> joined;  // what engines make of them: "self_attn.qkv_proj"
};

struct Architecture {
  using Json = nlohmann::ordered_json;

  std::vector<std::string> types;
  std::set<std::string> parts;     // "grouped", "latent", "experts", ...: what is read and computed
  Json always, defaults;           // values whatever a config says, and where it says nothing
  Json only;                       // members that are known at this value alone
  std::set<std::string> harmless;  // members that change no shape and no scheme, here or anywhere
  // What members and modules are called here; the file's own names hold for each architecture.
  std::map<std::string, std::vector<std::string>> names;
  std::map<std::string, ProductModules> modules;

  bool Has(const std::string& part) const { return parts.contains(part); }
  std::vector<std::string> NamesOf(const std::string& member) const;
};

// Null: nobody knows the type.
const Architecture* FindArchitecture(std::string_view model_type);

// Of a quantization_config and its parts: members that change no scheme.
const std::set<std::string>& HarmlessStorageMembers();
// The scheme of what a method calls so: "FP8", "quark fp4 x fp4", "int4 x 0"; "": nobody knows.
std::string SchemeCalled(const std::string& name);
// The part that a layer has by an entry of a list: of "layer_types" "conv"; null: nobody knows.
const std::string* PartCalled(const std::string& list, const std::string& entry);

}  // namespace tunehub::core
