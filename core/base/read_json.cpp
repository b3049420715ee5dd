#include "core/base/read_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace tunehub::core {

bool NestsTooDeep(std::string_view json, int most) {
  int depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      at = EndOfJsonString(json, at) - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::size_t EndOfJsonString(std::string_view json, std::size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '"') return at + 1;
    if (json[at] == '\\') ++at;
  }
  return json.size();
}

template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min, std::int64_t max) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost);
  if (fits && value.template get<std::int64_t>() >= min &&
      value.template get<std::int64_t>() <= max)
    return value.template get<std::int64_t>();
  constexpr int kOutOfRange = 401;  // nlohmann's id of an index out of range
  const std::string text(Excerpt(value.is_structured() ? value.type_name() : value.dump()));
  throw Json::out_of_range::create(
      kOutOfRange, fmt::format("{}: expected a whole number from {} to {}", text, min, max),
      nullptr);
}

template std::int64_t SureInteger(const nlohmann::json&, std::int64_t, std::int64_t);
template std::int64_t SureInteger(const nlohmann::ordered_json&, std::int64_t, std::int64_t);

namespace {

using nlohmann::json;

// Limits the memory for a text that contains only brackets. No real text nests this deep.
constexpr std::size_t kMaxDepth = 64;
constexpr int kNumberOverflow = 406;  // nlohmann's id of that error

// Checks that a text is JSON, locates its error, and finds an object with a member twice.
class JsonWalk : public nlohmann::json_sax<json> {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  bool null() override { return Value(); }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t) override { return Value(); }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }
  bool start_object(std::size_t) override { return Open(false); }
  bool start_array(std::size_t) override { return Open(true); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    open_.back().name = name;
    if (!open_.back().seen.insert(name).second && twice_.empty()) twice_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    overflows_ = error.id == kNumberOverflow;
    error_ = overflows_ ? OutOfRange(Excerpt(token)) : At(position, error.what());
    return false;
  }

  const Error& error() const { return error_; }
  bool overflows() const { return overflows_; }  // the error is a number beyond a double's range
  const std::string& twice() const { return twice_; }

 private:
  struct Level {
    bool is_array;
    std::size_t index = 0;  // of the item being read
    std::string name = {};  // of the member being read
    std::set<std::string> seen = {};
  };

  bool Open(bool is_array) {
    open_.push_back({is_array});
    return open_.size() <= kMaxDepth;
  }
  bool Close() {
    open_.pop_back();
    return Value();
  }
  bool Value() {
    if (!open_.empty()) ++open_.back().index;
    return true;
  }

  Error OutOfRange(std::string_view number) const {
    std::string pointer;
    for (const Level& level : open_) {
      pointer +=
          "/" + (level.is_array ? std::to_string(level.index) : EscapedForPointer(level.name));
    }
    return {"bad_json",
            fmt::format("{}{} is out of range", pointer.empty() ? "" : pointer + ": ", number),
            {.member = pointer}};
  }

  // Removes the library's error name and its position, which counts differently.
  Error At(std::size_t position, std::string_view what) const {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    const std::size_t reason = what.rfind(": ");
    if (reason != std::string_view::npos) what.remove_prefix(reason + 2);
    return {"bad_json", fmt::format("line {}, column {}: {}", line, column, what)};
  }

  const std::string_view text_;
  std::vector<Level> open_;
  std::string twice_;
  bool overflows_ = false;
  Error error_{"bad_json", "expected JSON"};
};

bool IsJsonBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool Opens(char c) {
  return c == '{' || c == '[';
}

bool Closes(char c) {
  return c == '}' || c == ']';
}

// Returns the end of the value that begins at `at`. Precondition: `text` is JSON.
std::size_t EndOfValue(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = EndOfJsonString(text, at) - 1;
    } else if (Opens(c)) {
      ++depth;
    } else if (depth == 0 && (c == ',' || Closes(c) || c == ':')) {
      return at;
    } else if (Closes(c)) {
      --depth;
    }
  }
  return at;
}

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && IsJsonBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsJsonBlank(text.back())) text.remove_suffix(1);
  return text;
}

Status CheckObject(std::string_view text, JsonWalk& check) {
  if (NestsTooDeep(text)) {
    return Error{"bad_json", fmt::format("more than {} nested brackets", kMaxJsonNesting)};
  }
  if (!json::sax_parse(text, &check)) return check.error();
  if (!Stripped(text).starts_with('{')) {
    return Error{"not_an_object",
                 fmt::format("'{}': expected a JSON object", Excerpt(Stripped(text), 40))};
  }
  return Ok();
}

}  // namespace

std::optional<Error> FindOverflow(std::string_view text) {
  JsonWalk walk(text);
  json::sax_parse(text, &walk);
  return walk.overflows() ? std::optional(walk.error()) : std::nullopt;
}

template <typename Json>
Json ReadJsonAs(std::string_view text) {
  if (NestsTooDeep(text, kMostReadNesting) || HoldsZero(text))
    return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

template <typename Json>
Json SureJsonAs(std::string_view text) {
  const bool has_zero = HoldsZero(text);
  if (!has_zero && !NestsTooDeep(text, kMostReadNesting)) return Json::parse(text);
  constexpr int kParseError = 101;  // nlohmann's id of "unexpected token"
  const std::string why =
      has_zero ? "a byte is zero" : fmt::format("more than {} nested brackets", kMostReadNesting);
  throw Json::parse_error::create(kParseError, text.size(), why, nullptr);
}

template nlohmann::json ReadJsonAs(std::string_view);
template nlohmann::ordered_json ReadJsonAs(std::string_view);
template nlohmann::json SureJsonAs(std::string_view);
template nlohmann::ordered_json SureJsonAs(std::string_view);

nlohmann::json ReadJson(std::string_view text) {
  return ReadJsonAs<nlohmann::json>(text);
}

nlohmann::json SureJson(std::string_view text) {
  return SureJsonAs<nlohmann::json>(text);
}

Result<std::vector<JsonMember>> JsonMembers(std::string_view text) {
  JsonWalk check(text);
  if (Status status = CheckObject(text, check); !status.ok()) return status.error();
  std::vector<JsonMember> members;
  const std::string_view object = Stripped(text);
  for (std::size_t at = 1; object[at] != '}';) {
    const std::size_t colon = EndOfValue(object, at);
    if (object[colon] != ':') break;  // an empty object that contains blanks
    const std::size_t end = EndOfValue(object, colon + 1);
    members.push_back({SureJson(object.substr(at, colon - at)).get<std::string>(),
                       Stripped(object.substr(colon + 1, end - colon - 1))});
    at = object[end] == ',' ? end + 1 : end;
  }
  return members;
}

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '"' ? EndOfJsonString(text, at) : at + 1;
    if (!IsJsonBlank(text[at])) out.append(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string IndentedJson(std::string_view given, int indent) {
  const std::string text = WithoutBlanks(given);
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] {
    out += '\n';
    out.append(depth * static_cast<std::size_t>(indent), ' ');
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool empty = Opens(c) && at + 1 < text.size() && Closes(text[at + 1]);
    if (c == '"') {
      const std::size_t end = EndOfJsonString(text, at);
      out.append(text, at, end - at);
      at = end - 1;
    } else if (empty) {
      out.append(text, at++, 2);
    } else {
      if (Closes(c)) {
        --depth;
        new_line();
      }
      out += c;
      if (c == ':') out += ' ';
      if (Opens(c)) ++depth;
      if (Opens(c) || c == ',') new_line();
    }
  }
  return out;
}

Result<std::string> CompactJsonObject(std::string_view text) {
  JsonWalk check(text);
  if (Status status = CheckObject(text, check); !status.ok()) return status.error();
  if (!check.twice().empty()) {
    return Error{"twice_in_object",
                 fmt::format("the member '{}' occurs twice", Excerpt(check.twice(), 40))};
  }
  return WithoutBlanks(text);
}

std::string SortedJson(std::string_view text) {
  const auto parsed = ReadJson(text);
  return parsed.is_discarded() ? std::string(text) : parsed.dump();
}

}  // namespace tunehub::core
