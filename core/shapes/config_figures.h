// The members of a config.json, each asked for by name. What is missing, wrong or known to nobody
// is remembered, all of it, for one message.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/shapes/architecture.h"

namespace tunehub::core {

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
