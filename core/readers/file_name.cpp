#include "core/readers/file_name.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

// Characters of Python's texts for objects. No driver's device name contains them.
constexpr std::string_view kOfObjects = "<>'\"{}";

// Returns the text after "device_name=" up to the next part or the name's ending; nullopt if
// absent.
std::optional<std::string_view> DeviceIn(const ReaderStore& store, std::string_view path) {
  for (const NameForm& form : store.names) {
    for (const NamePart& part : form.parts) {
      for (const NamePlace& place : part.places) {
        const std::size_t at = path.find(place.before);
        if (place.column != store.family->device || place.before.empty() ||
            at == std::string_view::npos) {
          continue;
        }
        const std::string_view rest = path.substr(at + place.before.size());
        const std::size_t comma = rest.find(',');
        return rest.substr(0, comma == std::string_view::npos ? rest.rfind('.') : comma);
      }
    }
  }
  return std::nullopt;
}

// Returns no_device_name if the path contains "<MagicMock ...>", "None" or another text of an
// engine that could not find its device. Returns nullopt if the path has a device's name or needs
// none.
std::optional<Error> WhyNoDevice(const ReaderStore& store, std::string_view path) {
  const auto device = DeviceIn(store, path);
  if (!device || device->empty()) return std::nullopt;
  if (!IsMissingWord(*device) && device->find_first_of(kOfObjects) == std::string_view::npos) {
    return std::nullopt;
  }
  return Error{"no_device_name",
               fmt::format("'{}' is not a real device's name; the engine writes it if it cannot "
                           "ask the driver (amdsmi or NVML is missing, or a mock)",
                           Excerpt(*device))};
}

constexpr std::size_t kQuotedPath = 200;

Error NoName(std::string what) {
  return {"no_name", std::move(what)};
}

bool Sets(const std::map<std::size_t, std::string>& sets, const Cells& cells) {
  return std::ranges::all_of(sets, [&](const auto& it) { return cells[it.first] == it.second; });
}

// Returns no_name if names of this form lack a key column whose cell is not the default.
std::optional<Error> LeftOut(const ReaderStore& store, const NameForm& form, const Cells& cells) {
  const Family& family = *store.family;
  std::vector<bool> said(family.columns.size(), false);
  for (const auto& [column, cell] : form.sets) said[column] = true;
  for (const NamePart& part : form.parts) {
    for (const NamePlace& place : part.places) said[place.column] = true;
    for (const auto& [column, cell] : part.sets) said[column] = true;
  }
  for (const std::size_t i : family.key_columns) {
    if (said[i] || i == store.member || i == family.engine) continue;
    if (cells[i] == family.columns[i].DefaultCell()) continue;
    return NoName(fmt::format("a file name of this engine cannot contain {} '{}'",
                              family.columns[i].name, Excerpt(cells[i])));
  }
  return std::nullopt;
}

bool IsAbsent(const Family& family, const NamePlace& place, const Cells& cells) {
  return cells[place.column] == family.columns[place.column].DefaultCell();
}

Result<std::string> PartText(const Family& family, const NamePart& part, const Cells& cells) {
  if (part.optional && part.places.empty()) {
    if (Sets(part.sets, cells)) return part.text;
    for (const auto& [column, cell] : part.sets) {
      if (cells[column] != family.columns[column].DefaultCell()) {
        return NoName(fmt::format("{} '{}' cannot be written as '{}'", family.columns[column].name,
                                  Excerpt(cells[column]), part.text));
      }
    }
    return std::string();
  }
  const auto absent = std::ranges::count_if(
      part.places, [&](const NamePlace& place) { return IsAbsent(family, place, cells); });
  if (part.optional && absent == std::ssize(part.places)) return std::string();
  std::string text;
  for (const NamePlace& place : part.places) {
    const std::string_view cell = cells[place.column];
    if ((part.optional && absent > 0) || !MayStand(family, place, cell)) {
      return NoName(fmt::format("the name's part '{}' cannot contain {} '{}'", part.text,
                                family.columns[place.column].name, Excerpt(cell)));
    }
    text += place.before + PlaceText(place, cell);
  }
  return text + part.end;
}

Result<std::string> FormText(const ReaderStore& store, const NameForm& form, const Cells& cells) {
  if (auto error = LeftOut(store, form, cells)) return *std::move(error);
  std::string path;
  for (const NamePart& part : form.parts) {
    const auto text = PartText(*store.family, part, cells);
    if (!text.ok()) return text;
    path += *text;
  }
  return path;
}

bool IsFor(const NameForm& form, const Cells& cells) {
  return Sets(form.sets, cells) && std::ranges::all_of(form.when, [&](const auto& it) {
           return std::ranges::find(it.second, cells[it.first]) != it.second.end();
         });
}

// "gemm_a8w8_blockscale" -> "GEMM-A8W8_BLOCKSCALE". A guess, because the folder's name has _ for
// both - and _.
std::string GuessOp(const ReaderStore& store, std::string_view lower) {
  std::string upper = Upper(lower);
  for (const std::string& prefix : store.op_prefixes) {
    if (!lower.starts_with(LowerName(prefix))) continue;
    return prefix + upper.substr(prefix.size());
  }
  return upper;
}

std::optional<ParsedPath> Matched(const Reader& reader, const ReaderStore& store,
                                  const NameForm& form, NameMatcher& matcher) {
  const Family& family = *store.family;
  if (!matcher.Match()) return std::nullopt;
  ParsedPath parsed{&store, std::move(matcher.cells())};
  for (const auto& [column, cell] : form.sets) parsed.cells[column] = cell;
  parsed.cells[family.engine] = reader.engine;
  if (!matcher.lower().empty() && parsed.cells[matcher.lower_column()].empty()) {
    parsed.cells[matcher.lower_column()] = GuessOp(store, matcher.lower());
    parsed.guessed_op = true;
  }
  for (const std::size_t i : family.key_columns) {
    if (parsed.cells[i].empty()) parsed.cells[i] = family.columns[i].DefaultCell();
  }
  const Cells cells(parsed.cells.begin(), parsed.cells.end());
  if (!IsFor(form, cells)) return std::nullopt;
  return parsed;
}

Error Unreachable(std::string_view path, const Result<std::string>& asked) {
  return {"unreachable_name",
          asked.ok() ? fmt::format("'{}': the engine searches for '{}' instead",
                                   Excerpt(path, kQuotedPath), *asked)
                     : fmt::format("'{}': {}", Excerpt(path, kQuotedPath), asked.error().detail)};
}

Error Unread(std::string_view path, const NameMatcher& matcher) {
  const std::size_t at = std::min(matcher.furthest(), path.size());
  const std::string_view rest = path.substr(at);
  return {"bad_name",
          fmt::format("'{}': position {}: expected '{}', found '{}'", Excerpt(path, kQuotedPath),
                      at + 1, fmt::join(matcher.wanted(), "' or '"), Excerpt(rest)),
          {.row = 0, .field = at + 1}};
}

// Returns unreachable_name if the path would be right with other blanks, or with underscores for
// blanks, as in devices' names.
std::optional<Error> BlankMistaken(const Reader& reader, const ReaderStore& store,
                                   std::string_view path) {
  std::string joined(path), underscored(path);
  std::erase(joined, ' ');
  std::ranges::replace(underscored, ' ', '_');
  for (const bool blanks : {true, false}) {
    for (const NameForm& form : store.names) {
      NameMatcher matcher(*store.family, form, blanks ? underscored : joined, blanks);
      if (const auto parsed = Matched(reader, store, form, matcher)) {
        return Unreachable(path, PathOf(store, parsed->cells));
      }
    }
  }
  return std::nullopt;
}

// Returns the form as one text: "triton_{triton:version}/E={E},N=...".
std::string TextOf(const NameForm& form) {
  std::string text;
  for (const NamePart& part : form.parts) {
    if (!part.optional) text += part.text;
  }
  return text;
}

// True if a folder's or file's name fits a form's part: the text before a place, or the whole text.
bool Begins(std::string_view name, std::string_view pattern) {
  const std::size_t place = pattern.find('{');
  return place == std::string_view::npos ? name == pattern
                                         : name.starts_with(pattern.substr(0, place));
}

bool Fits(const std::vector<std::string_view>& path, const std::vector<std::string_view>& form,
          bool anchored) {
  if (!anchored) return Begins(path.back(), form.back());
  return path.size() == form.size() && std::equal(path.begin(), path.end(), form.begin(), Begins);
}

}  // namespace

Result<std::string> PathOf(const ReaderStore& store, const Cells& cells) {
  std::optional<Error> error;
  for (const NameForm& form : store.names) {
    if (!IsFor(form, cells)) continue;
    auto path = FormText(store, form, cells);
    if (path.ok()) return path;
    error = path.error();
  }
  if (error) return *std::move(error);
  return NoName(fmt::format("no file name of {} can represent this row", store.title));
}

Result<std::string> PathOf(const ReaderStore& store, const KeyCells& cells) {
  return PathOf(store, Cells(cells.begin(), cells.end()));
}

Result<ParsedPath> ParsePath(const Reader& reader, const ReaderStore& store,
                             std::string_view path) {
  if (auto none = WhyNoDevice(store, path)) return *std::move(none);
  std::optional<Error> unread;
  std::size_t furthest = 0;
  for (const NameForm& form : store.names) {
    NameMatcher matcher(*store.family, form, path, true);
    if (auto parsed = Matched(reader, store, form, matcher)) {
      const auto asked = PathOf(store, parsed->cells);
      if (asked.ok() && *asked == path) return *std::move(parsed);
      return Unreachable(path, asked);
    }
    if (unread && matcher.furthest() < furthest) continue;
    furthest = matcher.furthest();
    unread = Unread(path, matcher);
  }
  // The most frequent mistake comes first. Its error gives the right name.
  if (auto mistaken = BlankMistaken(reader, store, path)) return *std::move(mistaken);
  if (unread) return *std::move(unread);
  return Error{"bad_name", fmt::format("{} has no file names", store.title)};
}

Result<ParsedPath> ParsePath(const Reader& reader, std::string_view path) {
  std::string tail;
  for (const ReaderStore& store : reader.stores) {
    if (IsOf(store, path, tail)) return ParsePath(reader, store, path);
  }
  return Error{"bad_name",
               fmt::format("'{}': position 1: no file name of {} begins like this",
                           Excerpt(path, kQuotedPath), reader.title),
               {.row = 0, .field = 1}};
}

std::string AskedDevice(const Reader& reader, std::string_view device) {
  for (const DeviceRule& rule : reader.devices) {
    const auto parts = SplitAt(device, "_");
    if (std::ranges::find(parts, rule.part) != parts.end()) return rule.becomes;
  }
  return std::string(device);
}

bool IsOf(const ReaderStore& store, std::string_view path, std::string& tail) {
  const std::vector<std::string_view> names = SplitAt(path, "/");
  for (const NameForm& form : store.names) {
    const std::string text = TextOf(form);
    const std::vector<std::string_view> wanted = SplitAt(text, "/");
    if (!Fits(names, wanted, store.anchored)) continue;
    const std::size_t count = std::min(wanted.size(), names.size());
    tail.clear();
    for (std::size_t i = names.size() - count; i < names.size(); ++i) {
      tail += (tail.empty() && i + count == names.size() ? "" : "/") + std::string(names[i]);
    }
    return true;
  }
  return false;
}

}  // namespace tunehub::core
