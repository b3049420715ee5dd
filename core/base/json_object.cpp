#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"

namespace tunehub::core {
namespace {

using nlohmann::json;

std::string Wrong(const char* wanted, const json& value) {
  return fmt::format("must be {}, but is {}", wanted, value.type_name());
}

// If a member's name occurs twice, nlohmann keeps the last. Here that is an error.
class DuplicateFinder {
 public:
  explicit DuplicateFinder(JsonErrors& errors) : errors_(&errors) {}

  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(name).second)
        errors_->Add("", fmt::format("has the member {} twice", name));
    }
    return true;
  }

 private:
  JsonErrors* errors_;
  std::vector<std::set<std::string>> open_;  // names seen, for each object that is still open
};

}  // namespace

std::string EscapedForPointer(const std::string& member) {
  std::string escaped;
  for (const char& c : member) {
    escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string_view(&c, 1);
  }
  return escaped;
}

void JsonErrors::Add(const std::string& pointer, const std::string& reason) {
  if (error_) return;
  Add({code_, (pointer.empty() ? "" : pointer + ": ") + reason, {.member = pointer}});
}

void JsonErrors::Add(const Error& error) {
  if (!error_) error_ = Error{code_, file_ + ": " + error.detail, error.place};
}

json ParseJson(std::string_view text, JsonErrors& errors, int nesting) {
  if (NestsTooDeep(text, nesting)) {
    errors.Add("", fmt::format("more than {} nested brackets", nesting));
    return nullptr;
  }
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    errors.Add("", fmt::format("expected JSON, but byte {} is a zero", at + 1));
    return nullptr;
  }
  try {
    return json::parse(text, DuplicateFinder(errors));
  } catch (const json::parse_error& error) {
    const std::string_view what =
        error.what();  // "[json.exception.parse_error.101] parse error ..."
    errors.Add("", fmt::format("expected JSON: {}", what.substr(what.find(']') + 2)));
  } catch (const json::out_of_range& error) {
    errors.Add(FindOverflow(text).value_or(Error{"", error.what()}));
  }
  return nullptr;
}

JsonObject::JsonObject(const json& value, std::string pointer, JsonErrors& errors)
    : value_(&value), pointer_(std::move(pointer)), errors_(&errors) {
  if (!value.is_object()) errors_->Add(pointer_, Wrong("an object", value));
}

bool JsonObject::Has(const std::string& member) const {
  return value_->is_object() && value_->contains(member);
}

std::string JsonObject::Pointer(const std::string& member) const {
  return member.empty() ? pointer_ : pointer_ + "/" + EscapedForPointer(member);
}

std::string JsonObject::ItemPointer(const std::string& member, std::size_t index) const {
  return fmt::format("{}/{}", Pointer(member), index);
}

void JsonObject::Fail(const std::string& member, const std::string& reason) {
  errors_->Add(Pointer(member), reason);
}

const json* JsonObject::Get(const std::string& member, bool required) {
  asked_.insert(member);
  if (Has(member)) return &value_->at(member);
  if (required) Fail(member, "is missing");
  return nullptr;
}

const json* JsonObject::GetArray(const std::string& member, bool required) {
  const json* const value = Get(member, required);
  if (value == nullptr || value->is_array()) return value;
  Fail(member, Wrong("an array", *value));
  return nullptr;
}

std::string JsonObject::Text(const std::string& member) {
  const json* const value = Get(member, true);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  Fail(member, Wrong("a string", *value));
  return {};
}

std::string JsonObject::Text(const std::string& member, std::string_view fallback) {
  return Has(member) ? Text(member) : std::string(fallback);
}

double JsonObject::Number(const std::string& member) {
  const json* const value = Get(member, true);
  if (value == nullptr) return 0;
  if (value->is_number()) return value->get<double>();
  Fail(member, Wrong("a number", *value));
  return 0;
}

double JsonObject::Number(const std::string& member, double fallback) {
  return Has(member) ? Number(member) : fallback;
}

std::int64_t JsonObject::Integer(const std::string& member, std::int64_t fallback) {
  const json* const value = Get(member, false);
  if (value == nullptr) return fallback;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > kMost) {
    Fail(member, value->dump() + " is out of range");
    return fallback;
  }
  if (value->is_number_integer()) return value->get<std::int64_t>();
  Fail(member, Wrong("an integer", *value));
  return fallback;
}

bool JsonObject::Boolean(const std::string& member, bool fallback) {
  const json* const value = Get(member, false);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  Fail(member, Wrong("true or false", *value));
  return fallback;
}

template <typename Item>
std::vector<Item> JsonObject::Items(const std::string& member, const char* wanted,
                                    bool (json::*is)() const noexcept) {
  const json* const array = GetArray(member, false);
  std::vector<Item> items;
  if (array == nullptr) return items;
  for (const json& item : *array) {
    if (!(item.*is)()) {
      errors_->Add(ItemPointer(member, items.size()), Wrong(wanted, item));
      break;
    }
    items.push_back(item.get<Item>());
  }
  return items;
}

std::vector<std::string> JsonObject::Texts(const std::string& member) {
  return Items<std::string>(member, "a string", &json::is_string);
}

std::vector<double> JsonObject::Numbers(const std::string& member) {
  return Items<double>(member, "a number", &json::is_number);
}

std::map<std::string, std::string, std::less<>> JsonObject::TextsByName(const std::string& member) {
  std::map<std::string, std::string, std::less<>> texts;
  if (!Has(member)) return texts;
  JsonObject object = Object(member);
  for (const std::string& name : object.MemberNames()) texts[name] = object.Text(name);
  return texts;
}

std::vector<std::int64_t> JsonObject::Ascending(const std::string& member) {
  std::vector<std::int64_t> values;
  for (const double number : Numbers(member)) {
    const auto value = static_cast<std::int64_t>(number);
    if (static_cast<double>(value) != number || value < 1 ||
        (!values.empty() && value <= values.back())) {
      Fail(member, "must contain ascending integers above 0");
    }
    values.push_back(value);
  }
  return values;
}

JsonObject JsonObject::Object(const std::string& member) {
  static const json empty = json::object();
  const json* const value = Get(member, true);
  return JsonObject(value == nullptr ? empty : *value, Pointer(member), *errors_);
}

std::vector<JsonObject> JsonObject::Objects(const std::string& member) {
  std::vector<JsonObject> objects;
  const json* const array = GetArray(member, true);
  if (array == nullptr) return objects;
  for (const json& item : *array) {
    objects.emplace_back(item, ItemPointer(member, objects.size()), *errors_);
  }
  return objects;
}

std::vector<JsonObject> JsonObject::OptionalObjects(const std::string& member) {
  return Has(member) ? Objects(member) : std::vector<JsonObject>();
}

bool JsonObject::IsText(const std::string& member) const {
  return Has(member) && value_->at(member).is_string();
}

std::vector<std::string> JsonObject::MemberNames() const {
  std::vector<std::string> names;
  if (!value_->is_object()) return names;
  for (const auto& [name, value] : value_->items()) names.push_back(name);
  return names;
}

void JsonObject::Finish() {
  for (const std::string& name : MemberNames()) {
    if (!asked_.contains(name)) Fail(name, "is an unknown member");
  }
}

}  // namespace tunehub::core
