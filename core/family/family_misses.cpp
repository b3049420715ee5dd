#include "core/family/family_misses.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace tunehub::core {
namespace {

// The bytes that a place may contain.
constexpr std::array<bool, 256> kWordByte = [] {
  std::array<bool, 256> allowed{};
  for (const char c :
       std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+-")) {
    allowed[static_cast<unsigned char>(c)] = true;
  }
  return allowed;
}();

bool IsWord(std::string_view text, bool blanks) {
  return std::ranges::all_of(text, [blanks](char c) {
    return kWordByte[static_cast<unsigned char>(c)] || (blanks && c == ' ');
  });
}

void TrimAll(std::string_view& text, char c) {
  while (!text.empty() && text.front() == c) text.remove_prefix(1);
  while (!text.empty() && text.back() == c) text.remove_suffix(1);
}

// "<" and ">" in logs that a collector stored as JSON.
constexpr std::string_view kOpen = "\\u003c";
constexpr std::string_view kClose = "\\u003e";

// Python's form of an enum member: "<ActivationType.Silu: 0>" -> "ActivationType.Silu".
void UnwrapEnum(std::string_view& text) {
  if (text.starts_with('<') && text.ends_with('>')) {
    text = text.substr(1, text.size() - 2);
  } else if (text.starts_with(kOpen) && text.ends_with(kClose)) {
    text = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
  } else {
    return;
  }
  text = text.substr(0, text.find(": "));
}

// Returns the length of the word at the beginning of `text`, with or without quotes.
std::size_t WordLength(std::string_view text) {
  const auto ends = [](char c) { return c != '\'' && !kWordByte[static_cast<unsigned char>(c)]; };
  return static_cast<std::size_t>(std::ranges::find_if(text, ends) - text.begin());
}

bool ReadPlace(const std::string& name, bool may_be_empty, std::string_view& value) {
  if (name == kFilePlace || name == kAnyPlace) return true;
  TrimAll(value, ' ');
  TrimAll(value, '\'');
  UnwrapEnum(value);
  return (may_be_empty || !value.empty()) && IsWord(value, name.empty());
}

bool IsColumn(JsonObject& json, const std::string& member, const Family& family,
              const std::string& name) {
  if (family.Find(name) != kNoColumn) return true;
  json.Fail(member, fmt::format("unknown column of this family: \"{}\"", name));
  return false;
}

void ParseCells(JsonObject& json, const Family& family, MissLine& line) {
  for (const auto& [name, text] : json.TextsByName("cells")) {
    if (IsColumn(json, "cells", family, name)) line.cells[name] = text;
  }
  if (!json.Has("replace")) return;
  JsonObject replace = json.Object("replace");
  for (const std::string& name : replace.MemberNames()) {
    const auto values = replace.TextsByName(name);
    if (IsColumn(json, "replace", family, name)) line.replace[name] = values;
  }
}

// True if an untuned table may lack the column, or if the column has a default.
bool MayBeLeftOut(const Column& column) {
  if (column.role == Role::kTarget || column.optional) return true;
  return std::ranges::any_of(column.missing, [](const MissingRule& rule) {
    return rule.gfx.empty() && rule.kernel_prefix.empty();
  });
}

void CheckComplete(JsonObject& json, const Family& family, const LineTemplate& form,
                   const MissLine& line) {
  for (const std::string& name : family.untuned_columns) {
    const bool said = std::ranges::find(form.names(), name) != form.names().end();
    if (said || line.cells.contains(name) || MayBeLeftOut(family.columns[family.Find(name)])) {
      continue;
    }
    json.Fail(
        "line",
        fmt::format("has no place for the column {}, and `cells` does not give its value", name));
  }
}

MissLine ParseMiss(JsonObject& json, const Family& family) {
  MissLine line;
  line.text = json.Text("line");
  line.mark = json.Text("mark");
  line.only_named = json.Boolean("only_named", false);
  ParseCells(json, family, line);
  const Result<LineTemplate> form = LineTemplate::Parse(line.text);
  if (!form.ok()) {
    json.Fail("line", form.error().detail);
  } else {
    for (const std::string& name : form->names()) {
      if (!name.empty() && name != kFilePlace && name != kAnyPlace)
        IsColumn(json, "line", family, name);
    }
    if (line.mark.empty() || !form->Holds(line.mark)) {
      json.Fail("mark", "must be a part of the line that is outside of braces");
    }
    CheckComplete(json, family, *form, line);
  }
  json.Finish();
  return line;
}

std::vector<MissLine> ParseLines(JsonObject& json, const std::string& member,
                                 const Family& family) {
  std::vector<MissLine> lines;
  for (JsonObject& object : json.OptionalObjects(member))
    lines.push_back(ParseMiss(object, family));
  return lines;
}

}  // namespace

Result<LineTemplate> LineTemplate::Parse(std::string_view text) {
  const auto fail = [](std::string detail) { return Error{"bad_template", std::move(detail)}; };
  LineTemplate form;
  for (;;) {
    const std::size_t open = text.find('{');
    form.texts_.emplace_back(text.substr(0, open));
    const bool open_end = text.empty() && !form.names_.empty() && form.may_be_empty_.back();
    if (form.texts_.back().empty() && !open_end) {
      return fail("needs text before, between and after the places");
    }
    if (open == std::string_view::npos) return form;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return fail("has a brace without its closing brace");
    std::string_view name = text.substr(open + 1, close - open - 1);
    form.may_be_empty_.push_back(name.ends_with('?'));
    if (name.ends_with('?')) name.remove_suffix(1);
    form.names_.emplace_back(name);
    text.remove_prefix(close + 1);
  }
}

bool LineTemplate::Match(std::string_view text, std::vector<std::string_view>& values) const {
  values.clear();
  if (!text.starts_with(texts_.front())) return false;
  text.remove_prefix(texts_.front().size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& next = texts_[i + 1];
    const std::size_t end =
        next.empty() ? WordLength(text) : text.substr(0, kMaxPlaceBytes + next.size()).find(next);
    if (end == std::string_view::npos) return false;
    std::string_view value = text.substr(0, end);
    if (!ReadPlace(names_[i], may_be_empty_[i], value)) return false;
    values.push_back(value);
    text.remove_prefix(end + next.size());
  }
  return true;
}

bool LineTemplate::Holds(std::string_view part) const {
  return std::ranges::any_of(
      texts_, [part](const std::string& text) { return text.find(part) != std::string::npos; });
}

void ParseMisses(JsonObject& json, Family& family) {
  family.misses = ParseLines(json, "misses", family);
  family.hits = ParseLines(json, "hits", family);
}

}  // namespace tunehub::core
