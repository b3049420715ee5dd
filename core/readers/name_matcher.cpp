#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/readers/file_name.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

constexpr std::array<JsonWord<PlaceForm>, 4> kForms = {{{"version", PlaceForm::kVersion},
                                                        {"sizes", PlaceForm::kSizes},
                                                        {"lower", PlaceForm::kLower},
                                                        {"name", PlaceForm::kName}}};

// Parses "triton:version", a place without its braces.
NamePlace ParsePlace(JsonObject& json, const Family& family, std::string_view text) {
  NamePlace place;
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  place.column = family.Find(name);
  if (place.column == kNoColumn || !family.columns[place.column].is_key()) {
    json.Fail("text", fmt::format("\"{}\": expected a shape column of {}", name, family.name));
  }
  if (colon != std::string_view::npos) {
    place.form = json.OneOf("text", std::string(text.substr(colon + 1)), kForms);
  }
  return place;
}

bool IsNameLetter(char c) {
  return (Lower(c) >= 'a' && Lower(c) <= 'z') || c == '_';
}

// No word of a path contains these characters.
bool EndsWord(char c) {
  return c == ',' || c == '=' || c == '/' || IsControl(c);
}

bool IsNumber(std::string_view text) {
  const bool digits = !text.empty() && std::ranges::all_of(text, IsDigit);
  return digits && (text.size() == 1 || text.front() != '0');
}

bool IsVersionText(std::string_view text) {
  return std::ranges::all_of(SplitAt(text, "."), [](std::string_view number) {
    return !number.empty() && std::ranges::all_of(number, IsDigit);
  });
}

// True for "N8=512-N16=256".
bool IsSizes(std::string_view text) {
  for (const std::string_view size : SplitAt(text, "-")) {
    const std::size_t equals = size.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    const auto of_name = [](char c) { return IsNameLetter(c) || IsDigit(c); };
    if (!IsNameLetter(size.front()) || !std::ranges::all_of(size.substr(0, equals), of_name))
      return false;
    const std::string_view number = size.substr(equals + 1);
    if (number.empty() || !std::ranges::all_of(number, IsDigit)) return false;
  }
  return true;
}

std::string Replaced(std::string_view text, char from, char to) {
  std::string out(text);
  std::ranges::replace(out, from, to);
  return out;
}

bool IsCanonical(const Column& column, std::string_view text) {
  Scratch scratch;
  return column.type != Type::kText || CanonicalCell(column, text, scratch).ok();
}

bool IsWord(const Column& column, std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return EndsWord(c) || c == ' '; }) &&
         IsCanonical(column, text);
}

// Returns the shape key's path in a layout; "" if the layout has no name for it.
std::string PathIn(const ReaderStore& store, KeyCells key, const std::string& layout) {
  key[store.layout] = layout;
  const auto path = PathOf(store, key);
  return path.ok() ? *path : std::string();
}

// Returns the shape key with defaults in all columns of special files except `kept`.
KeyCells Only(const ReaderStore& store, KeyCells key, const std::vector<std::size_t>& kept) {
  for (const std::size_t column : store.special) {
    if (std::ranges::find(kept, column) != kept.end()) continue;
    key[column] = store.family->columns[column].DefaultCell();
  }
  return key;
}

// Returns the choice in one layout; empty if the layout has no default file.
FileChoice ChosenIn(const ReaderStore& store, const LookupState& state, const KeyCells& key,
                    const std::string& layout, const Exists& exists) {
  const std::string fallback = PathIn(store, Only(store, key, {}), layout);
  if (fallback.empty() || !exists(fallback)) return {};
  for (const auto& kept : state.specials) {
    const std::string path = PathIn(store, Only(store, key, kept), layout);
    if (path != fallback && !path.empty() && exists(path)) return {path, true};
  }
  return {fallback, false};
}

}  // namespace

std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family) {
  std::map<std::size_t, std::string> sets;
  for (const std::string& name : json.MemberNames()) {
    const std::size_t column = family.Find(name);
    if (column == kNoColumn) {
      json.Fail(name, fmt::format("expected a column of {}", family.name));
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
    json.Fail("optional",
              "an optional part must have columns in its text, or set columns, but not both");
  }
  json.Finish();
  return part;
}

std::string LowerName(std::string_view cell) {
  return Replaced(Lower(cell), '-', '_');
}

bool MayStand(const Family& family, const NamePlace& place, std::string_view cell) {
  const Column& column = family.columns[place.column];
  switch (place.form) {
    case PlaceForm::kVersion:
      return IsVersionText(cell);
    case PlaceForm::kSizes:
      return IsSizes(cell);
    case PlaceForm::kLower:
      return !cell.empty() && IsWord(column, cell);
    case PlaceForm::kName:
      return !cell.empty() && cell.find('/') == std::string_view::npos && IsCanonical(column, cell);
    case PlaceForm::kCell:
      break;
  }
  if (column.type == Type::kInteger) return IsNumber(cell);
  if (column.type == Type::kGfx)
    return CanonicalGfx(cell) == cell && cell.find('-') == std::string_view::npos;
  return IsWord(column, cell) && (!cell.empty() || column.role == Role::kDevice);
}

std::string PlaceText(const NamePlace& place, std::string_view cell) {
  if (place.form == PlaceForm::kVersion) return Replaced(cell, '.', '_');
  if (place.form == PlaceForm::kLower) return LowerName(cell);
  return std::string(cell);
}

NameMatcher::NameMatcher(const Family& family, const NameForm& form, std::string_view path,
                         bool blanks)
    : family_(family), form_(form), path_(path), blanks_(blanks), cells_(family.columns.size()) {}

bool NameMatcher::Fail(std::size_t part, std::size_t at) {
  if (at > furthest_) wanted_.clear();
  if (at < furthest_) return false;
  furthest_ = at;
  const std::string text = part < form_.parts.size() ? form_.parts[part].text : "the name's end";
  if (std::ranges::find(wanted_, text) == wanted_.end()) wanted_.push_back(text);
  return false;
}

bool NameMatcher::Literal(const std::string& text, std::size_t part, std::size_t& at) {
  for (const char c : text) {
    if (c == ' ' && !blanks_) continue;
    if (at >= path_.size() || path_[at] != c) return Fail(part, at);
    ++at;
  }
  return true;
}

// Omits an optional part first, so that kSizes gets only sizes that no other part accepts.
bool NameMatcher::MatchPart(std::size_t part, std::size_t at) {
  if (part == form_.parts.size()) return at == path_.size() || Fail(part, at);
  if (form_.parts[part].optional && MatchPart(part + 1, at)) return true;
  return MatchPlace(part, 0, at);
}

bool NameMatcher::MatchPlace(std::size_t part, std::size_t place, std::size_t at) {
  const NamePart& of = form_.parts[part];
  if (place == of.places.size()) return Literal(of.end, part, at) && EndPart(part, at);
  if (!Literal(of.places[place].before, part, at)) return false;
  const Column& column = family_.columns[of.places[place].column];
  const PlaceForm form = of.places[place].form;
  const auto run = [&](auto belongs) {
    std::size_t end = at;
    while (end < path_.size() && belongs(path_[end])) ++end;
    return end;
  };
  if (form == PlaceForm::kVersion) {
    return TryValue(part, place, at, run([](char c) { return IsDigit(c) || c == '_'; }));
  }
  if (form == PlaceForm::kLower) {
    return TryValue(part, place, at, run([](char c) { return c != '/'; }));
  }
  if (form == PlaceForm::kCell && column.type == Type::kInteger) {
    return TryValue(part, place, at, run(IsDigit));
  }
  if (column.type == Type::kGfx) {
    return TryValue(part, place, at, run([](char c) { return c != '-' && c != '/'; }));
  }
  const std::size_t last =
      run([&](char c) { return form == PlaceForm::kCell ? !EndsWord(c) : c != '/'; });
  for (std::size_t end = at; end <= last; ++end) {
    if (TryValue(part, place, at, end)) return true;
  }
  return false;
}

bool NameMatcher::Takes(const NamePlace& place, std::string_view value, std::string& cell) const {
  if (place.form == PlaceForm::kLower) {
    cell = value;
    return LowerName(value) == value && MayStand(family_, place, value);
  }
  cell = place.form == PlaceForm::kVersion ? Replaced(value, '_', '.') : std::string(value);
  if (!MayStand(family_, place, cell)) return false;
  return place.column != lower_column_ || LowerName(cell) == lower_;
}

bool NameMatcher::TryValue(std::size_t part, std::size_t place, std::size_t at, std::size_t end) {
  const NamePlace& of = form_.parts[part].places[place];
  std::string cell;
  if (!Takes(of, path_.substr(at, end - at), cell)) return Fail(part, at);
  if (of.form == PlaceForm::kLower) {
    lower_ = cell;
    lower_column_ = of.column;
    return MatchPlace(part, place + 1, end);
  }
  std::string before = std::exchange(cells_[of.column], cell);
  if (MatchPlace(part, place + 1, end)) return true;
  cells_[of.column] = std::move(before);
  return false;
}

bool NameMatcher::EndPart(std::size_t part, std::size_t at) {
  const NamePart& of = form_.parts[part];
  const bool says = !of.optional || of.places.empty() ||
                    std::ranges::any_of(of.places, [&](const NamePlace& place) {
                      return cells_[place.column] != family_.columns[place.column].DefaultCell();
                    });
  if (!says) return Fail(part, at);
  if (!MatchPart(part + 1, at)) return false;
  for (const auto& [column, cell] : of.sets) cells_[column] = cell;
  return true;
}

FileChoice ChosenFile(const ReaderStore& store, const LookupState* state, const KeyCells& key,
                      const Exists& exists) {
  if (state == nullptr) {
    const auto path = PathOf(store, key);
    if (!path.ok() || !exists(*path)) return {};
    return {*path};
  }
  const std::string& asked = key[store.layout];
  for (const auto& search : state->searches) {
    if (!asked.empty() && std::ranges::find(search, asked) == search.end()) continue;
    for (const std::string& layout : search) {
      FileChoice chosen = ChosenIn(store, *state, key, layout, exists);
      if (!chosen.path.empty()) return chosen;
    }
    break;  // a lookup uses one search
  }
  return {};
}

Result<std::string> DefaultOf(const ReaderStore& store, KeyCells key) {
  return PathOf(store, Only(store, std::move(key), {}));
}

const LookupState* StateOf(const ReaderStore& store, const std::vector<std::string>& layouts) {
  for (const LookupState& state : store.states) {
    const auto reads = [&](const std::string& layout) { return state.Reads(layout); };
    if (std::ranges::all_of(layouts, reads)) return &state;
  }
  return store.states.empty() ? nullptr : &store.states.back();
}

Result<std::string> SucceedingPath(const Reader& reader, const ReaderStore& store,
                                   std::string_view path) {
  if (store.successors.empty()) return std::string();
  auto parsed = ParsePath(reader, store, path);
  if (!parsed.ok()) return parsed.error();
  const auto successor = store.successors.find(parsed->cells[store.layout]);
  if (successor == store.successors.end()) return std::string();
  parsed->cells[store.layout] = successor->second;
  return PathOf(store, parsed->cells);
}

}  // namespace tunehub::core
