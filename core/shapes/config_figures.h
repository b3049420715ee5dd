// Reads a model's config.json member by member. Collects all missing, wrong and unknown members for
// one message.
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
  // the layers that contain this part: "attention", "experts", ...
  std::string in;
  std::vector<std::string> of;      // names in checkpoints: "self_attn.q_proj", ...
  std::vector<std::string> joined;  // names in engines, after joining: "self_attn.qkv_proj"
};

// The parts and names of all models with one model_type. The source is configs/architectures.json,
// which is compiled into the program.
struct Architecture {
  using Json = nlohmann::ordered_json;

  std::vector<std::string> types;
  std::set<std::string> parts;     // "grouped", "latent", "experts", ...
  Json always, defaults;           // values that override a config; values for absent members
  Json only;                       // members for which this program knows only one value
  std::set<std::string> harmless;  // members that affect no shape and no scheme
  // The architecture's own names, by the usual name of a member or module. Names at the top level
  // of the JSON file apply to every architecture.
  std::map<std::string, std::vector<std::string>> names;
  std::map<std::string, ProductModules> modules;

  bool Has(const std::string& part) const { return parts.contains(part); }
  std::vector<std::string> NamesOf(const std::string& member) const;
};

// Returns null for an unknown type.
const Architecture* FindArchitecture(std::string_view model_type);

// Members of a quantization_config and its parts that do not affect the scheme.
const std::set<std::string>& HarmlessStorageMembers();
// The scheme for a method's name: "FP8", "quark fp4 x fp4" or "int4 x 0"; "": unknown.
std::string SchemeCalled(const std::string& name);
// The part of a layer for an entry of a list ("conv" in "layer_types"); null: unknown.
const std::string* PartCalled(const std::string& list, const std::string& entry);

// Remarks on all objects of one config.
struct ConfigRemarks {
  std::string missing, wrong;
  std::vector<std::string> notes;   // unknown members
  std::vector<std::string> doubts;  // members that leave a layer's storage unclear

  void Complain(const std::string& what) { wrong += (wrong.empty() ? "" : "; ") + what; }
  // "": nothing is missing or wrong.
  std::string Complaint() const;
};

class ConfigFigures {
 public:
  using Json = nlohmann::ordered_json;

  // `config`, `remarks` and `architecture` must outlive this object. `path` is the prefix of
  // members' names in messages: "text_config.". `architecture` translates their names; null: none.
  ConfigFigures(const Json& config, std::string path, ConfigRemarks& remarks,
                const Architecture* architecture = nullptr);

  // Returns the member, or else the architecture's value for it; null if both are absent.
  const Json* Find(const std::string& member);
  bool Has(const std::string& member) { return Find(member) != nullptr; }
  std::int64_t Required(const std::string& member);  // above 0
  std::int64_t Optional(const std::string& member, std::int64_t fallback);
  bool Flag(const std::string& member);
  std::string Text(const std::string& member, const char* fallback = "");
  const Json* List(const std::string& member);  // null: absent or empty
  // Returns an empty object if the member is absent. The caller must read every member of the
  // object.
  ConfigFigures Object(const std::string& member);
  bool empty() const { return config_.empty(); }
  // Calls read(name, members) and then NoteUnknown for each object in the object `member`. Returns
  // false if `member` is absent.
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
  // Remarks that the member leaves a layer's storage unclear.
  void Doubt(const std::string& member, const std::string& why);
  // Adds a note for each member that no caller read and that `harmless` does not contain.
  void NoteUnknown(const std::set<std::string>& harmless = HarmlessStorageMembers());
  std::string PathOf(const std::string& member) const { return path_ + member; }
  ConfigRemarks& remarks() { return remarks_; }

 private:
  using Kind = bool (Json::*)() const noexcept;
  // Returns null if the member has another type, and reports the wrong type.
  const Json* FindOf(const std::string& member, Kind is, const char* kind);
  std::int64_t Natural(const std::string& member, const Json& value);

  const Json& config_;
  std::string path_;
  ConfigRemarks& remarks_;
  const Architecture* architecture_;
  std::set<std::string> asked_;
  std::string found_;  // the config's name for the last member read
};

}  // namespace tunehub::core
