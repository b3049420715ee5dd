// Reads a model's config.json member by member. It collects all missing, wrong and unknown members
// for one message.
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

struct ProductModules {
  std::string in;                   // the layers that have it: "attention", "experts", ...
  std::vector<std::string> of;      // as checkpoints store them: "self_attn.q_proj", ...
  std::vector<std::string> joined;  // as engines join them: "self_attn.qkv_proj"
};

// The parts and names of models with one model_type, from configs/architectures.json, which is
// compiled in.
struct Architecture {
  using Json = nlohmann::ordered_json;

  std::vector<std::string> types;
  std::set<std::string> parts;     // "grouped", "latent", "experts", ...
  Json always, defaults;           // values that override a config; values of absent members
  Json only;                       // members of which only this value is known
  std::set<std::string> harmless;  // members that change no shape and no scheme
  // This architecture's names, by the usual name of a member or module. Names at the top of the
  // file hold for every architecture.
  std::map<std::string, std::vector<std::string>> names;
  std::map<std::string, ProductModules> modules;

  bool Has(const std::string& part) const { return parts.contains(part); }
  std::vector<std::string> NamesOf(const std::string& member) const;
};

// Null: unknown type.
const Architecture* FindArchitecture(std::string_view model_type);

// Members of a quantization_config and its parts that change no scheme.
const std::set<std::string>& HarmlessStorageMembers();
// The scheme that a method calls "FP8", "quark fp4 x fp4" or "int4 x 0"; "": unknown.
std::string SchemeCalled(const std::string& name);
// The part of a layer by its entry in a list ("conv" in "layer_types"); null: unknown.
const std::string* PartCalled(const std::string& list, const std::string& entry);

// Remarks on all objects of one config.
struct ConfigRemarks {
  std::string missing, wrong;
  std::vector<std::string> notes;   // unknown members
  std::vector<std::string> doubts;  // members that do not tell how a layer is stored

  void Complain(const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; }
  // "": nothing is missing or wrong.
  std::string Complaint() const;
};

class ConfigFigures {
 public:
  using Json = nlohmann::ordered_json;

  // `config`, `remarks` and `architecture` must outlive it. `path` is the prefix of members' names
  // in messages: "text_config.". `architecture` translates their names; null: no translation.
  ConfigFigures(const Json& config, std::string path, ConfigRemarks& remarks,
                const Architecture* architecture = nullptr);

  // The member, or the architecture's value for it; null: neither.
  const Json* Find(const std::string& member);
  bool Has(const std::string& member) { return Find(member) != nullptr; }
  std::int64_t Required(const std::string& member);  // above 0
  std::int64_t Optional(const std::string& member, std::int64_t fallback);
  bool Flag(const std::string& member);
  std::string Text(const std::string& member, const char* fallback = "");
  const Json* List(const std::string& member);  // null: none, or it is empty
  // Empty: no such member. The caller must read each of the object's members.
  ConfigFigures Object(const std::string& member);
  bool empty() const { return config_.empty(); }
  // Calls read(name, members) and then NoteUnknown for each object in the object `member`. False:
  // there is none.
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
  // Remarks that the member does not tell how a layer is stored.
  void Doubt(const std::string& member, const std::string& why);
  // Adds a note for each member that was not read and is not in `harmless`.
  void NoteUnknown(const std::set<std::string>& harmless = HarmlessStorageMembers());
  std::string PathOf(const std::string& member) const { return path_ + member; }
  ConfigRemarks& remarks() { return remarks_; }

 private:
  using Kind = bool (Json::*)() const noexcept;
  // Null if the member is of another kind; then also complains.
  const Json* FindOf(const std::string& member, Kind is, const char* kind);
  std::int64_t Natural(const std::string& member, const Json& value);

  const Json& config_;
  std::string path_;
  ConfigRemarks& remarks_;
  const Architecture* architecture_;
  std::set<std::string> asked_;
  std::string found_;  // the config's name of the last member that was read
};

}  // namespace tunehub::core
