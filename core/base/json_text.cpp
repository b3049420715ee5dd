#include "core/base/json_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

bool IsJsonBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool Opens(char c) {
  return c == '{' || c == '[';
}

bool Closes(char c) {
  return c == '}' || c == ']';
}

// Says no more than whether the text is JSON, and whether some object has a member twice.
class TextCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TextCheck(std::string_view text) : text_(text) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    names_.emplace_back();
    return true;
  }
  bool end_object() override {
    names_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    if (!names_.back().insert(name).second && twice_.empty()) twice_ = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_ = FindOverflow(text_).value_or(At(position, error.what()));
    return false;
  }

  const Error& error() const { return error_; }
  const std::string& twice() const { return twice_; }

 private:
  // Without the library's own name for the error and the place, which it counts in another way.
  Error At(std::size_t position, std::string_view what) const {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    const std::size_t reason = what.rfind(": ");
    if (reason != std::string_view::npos) what.remove_prefix(reason + 2);
    return {"bad_json", fmt::format("line {}, column {}: {}", line, column, what)};
  }

  const std::string_view text_;
  std::vector<std::set<std::string>> names_;
  std::string twice_;
  Error error_{"bad_json", "no JSON"};
};

// Of JSON: behind the value that begins at `at`.
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

Status CheckObject(std::string_view text, TextCheck& check) {
  if (NestsTooDeep(text)) {
    return Error{"bad_json",
                 fmt::format("more than {} brackets stand within each other", kMaxJsonNesting)};
  }
  if (!nlohmann::json::sax_parse(text, &check)) return check.error();
  if (!Stripped(text).starts_with('{')) {
    return Error{"not_an_object",
                 fmt::format("'{}' is no JSON object", Excerpt(Stripped(text), 40))};
  }
  return Ok();
}

}  // namespace

Result<std::vector<JsonMember>> JsonMembers(std::string_view text) {
  TextCheck check(text);
  if (Status status = CheckObject(text, check); !status.ok()) return status.error();
  std::vector<JsonMember> members;
  const std::string_view object = Stripped(text);
  for (std::size_t at = 1; object[at] != '}';) {
    const std::size_t colon = EndOfValue(object, at);
    if (object[colon] != ':') break;  // an empty object with blanks in it
    const std::size_t end = EndOfValue(object, colon + 1);
    members.push_back({SureJson(object.substr(at, colon - at)).get<std::string>(),
                       Stripped(object.substr(colon + 1, end - colon - 1))});
    at = object[end] == ',' ? end + 1 : end;
  }
  return members;
}

std::string WithoutBlanks(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = json[at] == '"' ? EndOfJsonString(json, at) : at + 1;
    if (!IsJsonBlank(json[at])) out.append(json.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string IndentedJson(std::string_view json, int indent) {
  const std::string text = WithoutBlanks(json);
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
  TextCheck check(text);
  if (Status status = CheckObject(text, check); !status.ok()) return status.error();
  if (!check.twice().empty()) {
    return Error{"twice_in_object",
                 fmt::format("the member '{}' comes twice", Excerpt(check.twice(), 40))};
  }
  return WithoutBlanks(text);
}

std::string SortedJson(std::string_view json) {
  const auto parsed = ReadJson(json);
  return parsed.is_discarded() ? std::string(json) : parsed.dump();
}

}  // namespace tunehub::core
