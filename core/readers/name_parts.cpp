#include "core/readers/name_parts.h"

#include <fmt/core.h>

#include <array>
#include <utility>

namespace tunehub::core {
namespace {

constexpr std::array<std::pair<std::string_view, PlaceForm>, 4> kForms = {
    {{"version", PlaceForm::kVersion},
     {"sizes", PlaceForm::kSizes},
     {"lower", PlaceForm::kLower},
     {"name", PlaceForm::kName}}};

// "triton:version", without its braces.
NamePlace ParsePlace(JsonObject& json, const Family& family, std::string_view text) {
  NamePlace place;
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  place.column = family.Find(name);
  if (place.column == kNoColumn || !family.columns[place.column].is_key()) {
    json.Fail("text", fmt::format("\"{}\" is no key column of {}", name, family.name));
  }
  if (colon == std::string_view::npos) return place;
  for (const auto& [word, form] : kForms) {
    if (text.substr(colon + 1) != word) continue;
    place.form = form;
    return place;
  }
  json.Fail("text",
            fmt::format("\"{}\" is none of version, sizes, lower, name", text.substr(colon + 1)));
  return place;
}

}  // namespace

std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family) {
  std::map<std::size_t, std::string> sets;
  for (const std::string& name : json.MemberNames()) {
    const std::size_t column = family.Find(name);
    if (column == kNoColumn) {
      json.Fail(name, fmt::format("is no column of {}", family.name));
      continue;
    }
    sets[column] = json.Text(name);
  }
  json.Finish();
  return sets;
}

NamePart ParsePart(JsonObject& json, const Family& family) {
  NamePart part;
  part.text = json.Text("text");
  std::string literal;
  for (std::size_t i = 0; i < part.text.size(); ++i) {
    const std::size_t close = part.text[i] == '{' ? part.text.find('}', i) : std::string::npos;
    if (close == std::string::npos) {
      literal.push_back(part.text[i]);
      continue;
    }
    part.places.push_back(
        ParsePlace(json, family, std::string_view(part.text).substr(i + 1, close - i - 1)));
    part.places.back().before = std::exchange(literal, "");
    i = close;
  }
  part.end = literal;
  if (json.Has("sets")) part.sets = ParseSets(json.Object("sets"), family);
  part.optional = json.Boolean("optional", !part.sets.empty());
  if (part.optional && part.places.empty() == part.sets.empty()) {
    json.Fail("optional", "such a part has columns in its text or sets some, and not both");
  }
  json.Finish();
  return part;
}

}  // namespace tunehub::core
