#include "core/shapes/config_figures.h"

#include <fmt/core.h>

#include <utility>

#include "core/base/excerpt.h"

namespace tunehub::core {
namespace {

// Larger than any dimension of a model, small enough that no product of two overflows.
constexpr std::int64_t kMaxFigure = 100'000'000;
// Beyond them a config is of something else, and their number says enough.
constexpr std::size_t kMostNotes = 32;

const nlohmann::ordered_json* Member(const nlohmann::ordered_json& object,
                                     const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::string ConfigRemarks::Complaint() const {
  if (missing.empty()) return wrong;
  return fmt::format("lacks {}{}", missing, wrong.empty() ? "" : "; " + wrong);
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
  Complain(found_, fmt::format("must be {}, not {}", kind, Excerpt(value->dump())));
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
      fmt::format("{}{}: how layers are stored is not known", PathOf(member), why));
}

void ConfigFigures::NoteUnknown(const std::set<std::string>& harmless) {
  auto& notes = remarks_.notes;
  for (const auto& [name, value] : config_.items()) {
    if (value.is_null() || asked_.contains(name) || harmless.contains(name)) continue;
    if (notes.size() > kMostNotes) return;
    notes.push_back(
        notes.size() == kMostNotes
            ? "more members are not known"
            : fmt::format("{} is not known: it may change a shape or how a layer is stored",
                          PathOf(std::string(Excerpt(name)))));
  }
}

std::int64_t ConfigFigures::Natural(const std::string& member, const Json& value) {
  if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= 0 && number <= kMaxFigure) return number;
  }
  Complain(member, fmt::format("must be a whole number up to {}, not {}", kMaxFigure,
                               Excerpt(value.dump())));
  return 0;
}

}  // namespace tunehub::core
