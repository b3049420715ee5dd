// The members of a config.json, each asked for by name. What is missing, wrong or known to nobody
// is remembered, all of it, for one message.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tunehub::core {

// What a model's layers compute, by the model_type of its config.json, as
// configs/architectures.json says it; that file is compiled in.

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

// Of one config, whichever of its objects they are about.
struct ConfigRemarks {
  std::string missing, wrong;
  std::vector<std::string> notes;   // members that nobody knows
  std::vector<std::string> doubts;  // members that leave open how a layer is stored

  void Complain(const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; }
  // "" where everything was there.
  std::string Complaint() const;
};

class ConfigFigures {
 public:
  using Json = nlohmann::ordered_json;

  // `config`, `remarks` and `architecture` must outlive it. `path` stands before each member's
  // name: "text_config.". `architecture` says what members are called; null: as they are asked for.
  ConfigFigures(const Json& config, std::string path, ConfigRemarks& remarks,
                const Architecture* architecture = nullptr);

  // The member, or the architecture's value for it; null where there is none.
  const Json* Find(const std::string& member);
  bool Has(const std::string& member) { return Find(member) != nullptr; }
  std::int64_t Required(const std::string& member);  // above 0
  std::int64_t Optional(const std::string& member, std::int64_t fallback);
  bool Flag(const std::string& member);
  std::string Text(const std::string& member, const char* fallback = "");
  const Json* List(const std::string& member);  // null: none, or it is empty
  // Empty where there is no such member; each of an object's members must then be asked for.
  ConfigFigures Object(const std::string& member);
  bool empty() const { return config_.empty(); }
  // read(name, members) for each object that the object `member` holds, then NoteUnknown of each.
  // Answers whether it holds any.
  template <class Reader>
  bool ForEach(const std::string& member, Reader read) {
    ConfigFigures all = Object(member);
    for (const auto& [name, value] : all.config_.items()) {
      ConfigFigures its = all.Object(name);
      read(name, its);
      its.NoteUnknown();
    }
    return !all.empty();
  }

  void Complain(const std::string& member, const std::string& what);
  // That the member leaves open how a layer is stored.
  void Doubt(const std::string& member, const std::string& why);
  // A note for each member that nobody asked for and that `harmless` does not name.
  void NoteUnknown(const std::set<std::string>& harmless = HarmlessStorageMembers());
  std::string PathOf(const std::string& member) const { return path_ + member; }
  ConfigRemarks& remarks() { return remarks_; }

 private:
  using Kind = bool (Json::*)() const noexcept;
  // Null, and a complaint, where it is of another kind.
  const Json* FindOf(const std::string& member, Kind is, const char* kind);
  std::int64_t Natural(const std::string& member, const Json& value);

  const Json& config_;
  std::string path_;
  ConfigRemarks& remarks_;
  const Architecture* architecture_;
  std::set<std::string> asked_;
  std::string found_;  // what the member that was asked for last is called
};

}  // namespace tunehub::core
