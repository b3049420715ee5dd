#include "core/misses/path_line.h"

#include <algorithm>
#include <optional>

#include "core/family/line_template.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kPathEnd = ".json";
// How Python and loggers write texts in a list.
constexpr std::string_view kAroundPath = "'\"[ ";

// The path that `text` begins with, whose end is found by its suffix; nothing where there is none.
std::optional<std::string_view> PathAt(std::string_view text) {
  const std::size_t end = text.substr(0, kMaxPlaceBytes + kPathEnd.size()).find(kPathEnd);
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return text.substr(0, end + kPathEnd.size());
}

std::string_view WithoutOpening(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kAroundPath), text.size()));
}

// What stands behind a path of a list and before the next one: "', '" or ", ".
std::optional<std::string_view> AfterComma(std::string_view text) {
  if (text.starts_with('\'') || text.starts_with('"')) text.remove_prefix(1);
  if (!text.starts_with(", ")) return std::nullopt;
  text = WithoutOpening(text.substr(2));
  // "..., you can create them": no path follows.
  const auto next = PathAt(text);
  const bool path = next && next->find('/') != std::string_view::npos &&
                    next->substr(0, next->find('/')).find(' ') == std::string_view::npos;
  if (!path) return std::nullopt;
  return text;
}

// These take off `text` what it begins with; false and nullopt: it does not.

bool TakeWord(std::string_view next, std::string_view& text) {
  const std::size_t end = text.substr(0, kMaxPlaceBytes).find(next);
  if (end == std::string_view::npos) return false;
  text.remove_prefix(end);
  return true;
}

std::optional<std::string_view> TakePath(std::string_view& text) {
  const auto path = PathAt(text);
  if (path) text.remove_prefix(path->size());
  return path;
}

bool TakePaths(std::string_view& text, std::vector<std::string_view>& paths) {
  for (;;) {
    const auto path = TakePath(text);
    if (!path) return false;
    paths.push_back(*path);
    const auto next = AfterComma(text);
    if (!next) return true;
    text = *next;
  }
}

}  // namespace

Result<PathLine> PathLine::Parse(std::string_view text) {
  const auto fail = [](std::string detail) { return Error{"bad_template", std::move(detail)}; };
  constexpr std::string_view kNames[] = {"path", "paths", "used", ""};
  PathLine line;
  for (;;) {
    const std::size_t open = text.find('{');
    line.texts_.emplace_back(text.substr(0, open));
    if (open == std::string_view::npos) break;
    if (line.texts_.back().empty()) return fail("has no text before a place");
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return fail("has an open brace");
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto found = std::ranges::find(kNames, name);
    if (found == std::end(kNames)) return fail("has a place {" + std::string(name) + "}");
    line.places_.push_back(static_cast<Place>(found - std::begin(kNames)));
    text.remove_prefix(close + 1);
  }
  const bool names_a_path = std::ranges::any_of(
      line.places_, [](Place it) { return it == Place::kPath || it == Place::kPaths; });
  if (!names_a_path) return fail("names no path");
  return line;
}

bool PathLine::Match(std::string_view text, Paths& paths) const {
  paths = {};
  if (!text.starts_with(texts_.front())) return false;
  text.remove_prefix(texts_.front().size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::string& next = texts_[i + 1];
    const bool taken =
        places_[i] == Place::kWord ? TakeWord(next, text) : TakePlace(places_[i], text, paths);
    if (!taken || !text.starts_with(next)) return false;
    text.remove_prefix(next.size());
  }
  return true;
}

bool PathLine::TakePlace(Place place, std::string_view& text, Paths& paths) {
  text = WithoutOpening(text);
  if (place == Place::kPaths) return TakePaths(text, paths.missed);
  const auto path = TakePath(text);
  if (!path) return false;
  if (place == Place::kUsed) {
    paths.used = *path;
  } else {
    paths.missed.push_back(*path);
  }
  return true;
}

}  // namespace tunehub::core
