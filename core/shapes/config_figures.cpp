#include "core/shapes/config_figures.h"

#include <fmt/core.h>

#include <algorithm>

#include "architectures.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;

// A test parses the file, so a build with a broken file fails.
const Json& File() {
  static const Json file = SureJsonAs<Json>(kArchitectures);
  return file;
}

std::map<std::string, std::vector<std::string>> NamesIn(const Json& json) {
  return json.get<std::map<std::string, std::vector<std::string>>>();
}

// {"mlp.": "feed_forward.", "gate_proj": "w1"} turns "mlp.gate_proj" into "feed_forward.w1".
void Rename(std::vector<std::string>& modules, const Json& renames) {
  for (std::string& module : modules) {
    for (const auto& [from, to] : renames.items()) {
      const std::size_t at = module.find(from);
      if (at != std::string::npos) module.replace(at, from.size(), to.get<std::string>());
    }
  }
}

Architecture Read(const Json& row) {
  Architecture made;
  made.types = row.at("types").get<std::vector<std::string>>();
  made.parts = row.at("parts").get<std::set<std::string>>();
  made.always = row.value("always", Json::object());
  made.defaults = row.value("defaults", Json::object());
  made.only = row.value("only", Json::object());
  made.harmless = File().at("harmless").get<std::set<std::string>>();
  made.harmless.merge(row.value("harmless", Json::array()).get<std::set<std::string>>());
  made.names = NamesIn(row.value("names", Json::object()));
  made.names.merge(NamesIn(File().at("names")));
  const Json renames = row.value("modules", Json::object());
  for (const auto& [product, modules] : File().at("modules").items()) {
    ProductModules its{modules.at("in"), modules.at("of"), modules.value("joined", Json::array())};
    Rename(its.of, renames);
    Rename(its.joined, renames);
    made.modules.emplace(product, std::move(its));
  }
  return made;
}

// Above any dimension of a model. A product of two such figures does not overflow.
constexpr std::int64_t kMaxFigure = 100'000'000;
// A config with more notes is hardly a model's config.
constexpr std::size_t kMostNotes = 32;

const nlohmann::ordered_json* Member(const nlohmann::ordered_json& object,
                                     const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> Architecture::NamesOf(const std::string& member) const {
  const auto found = names.find(member);
  return found == names.end() ? std::vector<std::string>{member} : found->second;
}

const Architecture* FindArchitecture(std::string_view model_type) {
  static const std::vector<Architecture> all = Mapped(File().at("architectures"), Read);
  const auto found = std::ranges::find_if(all, [&](const Architecture& it) {
    return std::ranges::find(it.types, model_type) != it.types.end();
  });
  return found == all.end() ? nullptr : &*found;
}

const std::set<std::string>& HarmlessStorageMembers() {
  static const std::set<std::string> members = File().at("harmless_storage");
  return members;
}

std::string SchemeCalled(const std::string& name) {
  return File().at("schemes").value(name, "");
}

const std::string* PartCalled(const std::string& list, const std::string& entry) {
  const Json& entries = File().at("lists").at(list);
  const auto found = entries.find(entry);
  return found == entries.end() ? nullptr : found->get_ptr<const std::string*>();
}

std::string ConfigRemarks::Complaint() const {
  if (missing.empty()) return wrong;
  return fmt::format("has no {}{}", missing, wrong.empty() ? "" : "; " + wrong);
}

ConfigFigures::ConfigFigures(const Json& config, std::string path, ConfigRemarks& remarks,
                             const Architecture* architecture)
    : config_(config), path_(std::move(path)), remarks_(remarks), architecture_(architecture) {}

const ConfigFigures::Json* ConfigFigures::Find(const std::string& member) {
  found_ = member;
  if (architecture_ == nullptr) {
    asked_.insert(member);
    return Member(config_, member);
  }
  const std::vector<std::string> names = architecture_->NamesOf(member);
  const Json* value = nullptr;
  for (const std::string& name : names) {
    asked_.insert(name);
    const Json* const its = Member(config_, name);
    if (its == nullptr || value != nullptr) continue;
    value = its;
    found_ = name;
  }
  if (value == nullptr) found_ = names.empty() ? member : names.front();
  if (const Json* const always = Member(architecture_->always, member)) return always;
  return value != nullptr ? value : Member(architecture_->defaults, member);
}

std::int64_t ConfigFigures::Required(const std::string& member) {
  const Json* const value = Find(member);
  if (value == nullptr) {
    remarks_.missing += (remarks_.missing.empty() ? "" : ", ") + PathOf(found_);
    return 0;
  }
  const std::string before = remarks_.wrong;
  const std::int64_t number = Natural(found_, *value);
  if (number == 0 && remarks_.wrong == before) Complain(found_, "must not be 0");
  return number;
}

std::int64_t ConfigFigures::Optional(const std::string& member, std::int64_t fallback) {
  const Json* const value = Find(member);
  return value == nullptr ? fallback : Natural(found_, *value);
}

const ConfigFigures::Json* ConfigFigures::FindOf(const std::string& member, Kind is,
                                                 const char* kind) {
  const Json* const value = Find(member);
  if (value == nullptr || (value->*is)()) return value;
  Complain(found_, fmt::format("must be {}, but is {}", kind, Excerpt(value->dump())));
  return nullptr;
}

bool ConfigFigures::Flag(const std::string& member) {
  const Json* const value = FindOf(member, &Json::is_boolean, "true or false");
  return value != nullptr && value->get<bool>();
}

std::string ConfigFigures::Text(const std::string& member, const char* fallback) {
  const Json* const value = FindOf(member, &Json::is_string, "a text");
  return value == nullptr ? fallback : value->get<std::string>();
}

const ConfigFigures::Json* ConfigFigures::List(const std::string& member) {
  const Json* const value = FindOf(member, &Json::is_array, "a list");
  return value == nullptr || value->empty() ? nullptr : value;
}

ConfigFigures ConfigFigures::Object(const std::string& member) {
  static const Json none = Json::object();
  const Json* const value = FindOf(member, &Json::is_object, "an object");
  return {value == nullptr ? none : *value, PathOf(found_) + ".", remarks_};
}

void ConfigFigures::Complain(const std::string& member, const std::string& what) {
  remarks_.Complain(fmt::format("{} {}", PathOf(member), what));
}

void ConfigFigures::Doubt(const std::string& member, const std::string& why) {
  remarks_.doubts.push_back(
      fmt::format("{}{}, so it is unknown how layers are stored", PathOf(member), why));
}

void ConfigFigures::NoteUnknown(const std::set<std::string>& harmless) {
  auto& notes = remarks_.notes;
  for (const auto& [name, value] : config_.items()) {
    if (value.is_null() || asked_.contains(name) || harmless.contains(name)) continue;
    if (notes.size() > kMostNotes) return;
    notes.push_back(
        notes.size() == kMostNotes
            ? "further members are unknown"
            : fmt::format("{} is an unknown member, which may change a shape or a layer's storage",
                          PathOf(std::string(Excerpt(name)))));
  }
}

std::int64_t ConfigFigures::Natural(const std::string& member, const Json& value) {
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= 0 && number <= kMaxFigure) return number;
  }
  Complain(member, fmt::format("must be a whole number up to {}, but is {}", kMaxFigure,
                               Excerpt(value.dump())));
  return 0;
}

}  // namespace tunehub::core
