// Reads JSON documents from any source. Rejects a text that nests too deep or contains a zero byte.
// For this project's own files an unknown member is an error, so that no misspelt name goes
// unnoticed. Large bodies need event handlers (SAX) instead of these functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// The functions that copy and write JSON recurse. Ten thousand brackets would overflow the stack.
inline constexpr int kMaxJsonNesting = 32;
bool NestsTooDeep(std::string_view json, int most = kMaxJsonNesting);

// The parser stops at a zero byte, but a later reader of the text may read on.
inline bool HoldsZero(std::string_view json) {
  return json.find('\0') != std::string_view::npos;
}

// Returns the end of the string whose opening quote is at `at`; the text's size if the string never
// ends.
std::size_t EndOfJsonString(std::string_view json, std::size_t at);

// Returns an integer of foreign JSON. The library's own conversion accepts 1e300, 2.5 and true.
// Throws Json::out_of_range, as `at` does, unless the value is an integer within min..max. Json:
// nlohmann::json or ordered_json.
template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min,
                         std::int64_t max = std::numeric_limits<std::int64_t>::max());

// Finds the first number in `text` that exceeds a double's range. Returns bad_json: "/shapes/0/M:
// 1e999 is out of range". Returns nullopt if no number overflows or another error comes first. The
// function parses the text again, so call it only if a parser refused the text.
std::optional<Error> FindOverflow(std::string_view text);

// Answers and stored texts may wrap a client's document (kMaxJsonNesting) in further brackets.
inline constexpr int kMostReadNesting = 2 * kMaxJsonNesting;

// Returns a discarded value if the text is not JSON, nests too deep or contains a zero byte. Json:
// nlohmann::json or ordered_json.
template <typename Json>
Json ReadJsonAs(std::string_view text);
nlohmann::json ReadJson(std::string_view text);

// Throws Json::parse_error. Use this function for a text that was checked before, or catch the
// exception.
template <typename Json>
Json SureJsonAs(std::string_view text);
nlohmann::json SureJson(std::string_view text);

// The functions below keep JSON as written: members in their order, values as text. A parsed
// document loses duplicate members and the difference between 1.0 and 1.

struct JsonMember {
  std::string name;        // unescaped
  std::string_view value;  // the value's text, with any blanks inside
};

// Returns an object's members in their order, duplicates included. Errors: bad_json (with line and
// column, or too deep nesting), not_an_object.
Result<std::vector<JsonMember>> JsonMembers(std::string_view text);

// Puts each member and item on its own line, as nlohmann's dump and Python's json.dump do. Every
// value keeps its text.
std::string IndentedJson(std::string_view json, int indent);

// Returns an object's text without blanks between its parts. Errors: as JsonMembers;
// twice_in_object if an object at any depth contains a member twice.
Result<std::string> CompactJsonObject(std::string_view text);

// Returns a JSON value's text without blanks between its parts. Precondition: `json` is valid JSON.
std::string WithoutBlanks(std::string_view json);

// Sorts the members of every object by name, so that equal objects get equal texts. Returns a text
// that is not JSON unchanged.
std::string SortedJson(std::string_view json);

// Keeps the first error of a file, because later errors are often its consequences.
class JsonErrors {
 public:
  JsonErrors(std::string file, std::string code) : file_(std::move(file)), code_(std::move(code)) {}

  void Add(const std::string& pointer, const std::string& reason);
  // Adds an error whose detail begins with its place. The error gets the file's code.
  void Add(const Error& error);
  bool any() const { return error_.has_value(); }
  const Error& first() const { return *error_; }  // precondition: any()

 private:
  std::string file_, code_;
  std::optional<Error> error_;
};

// Adds an error and returns null if the text is not JSON, contains a zero byte or nests deeper than
// `nesting`. (JsonObject's getters find no member in null.) For a duplicate member, adds an error
// but still returns the value.
nlohmann::json ParseJson(std::string_view text, JsonErrors& errors, int nesting = kMaxJsonNesting);

// RFC 6901: a member's name within a pointer.
std::string EscapedForPointer(const std::string& member);

// A word that a file may contain, and its value.
template <typename Value>
struct JsonWord {
  std::string_view word;
  Value value;
};

// One object of the file. A getter that fails adds an error and returns an empty value. So a caller
// reads all members first, then checks JsonErrors once. `value` and `errors` must outlive this
// object.
class JsonObject {
 public:
  JsonObject(const nlohmann::json& value, std::string pointer, JsonErrors& errors);

  bool Has(const std::string& member) const;
  // Required members.
  std::string Text(const std::string& member);
  double Number(const std::string& member);
  JsonObject Object(const std::string& member);
  std::vector<JsonObject> Objects(const std::string& member);
  // Optional members.
  std::string Text(const std::string& member, std::string_view fallback);
  std::int64_t Integer(const std::string& member, std::int64_t fallback);
  double Number(const std::string& member, double fallback);
  bool Boolean(const std::string& member, bool fallback);
  std::vector<JsonObject> OptionalObjects(const std::string& member);
  std::vector<std::string> Texts(const std::string& member);
  std::map<std::string, std::string, std::less<>> TextsByName(const std::string& member);
  std::vector<double> Numbers(const std::string& member);
  // Integers above 0, ascending; empty if the member is absent.
  std::vector<std::int64_t> Ascending(const std::string& member);
  bool IsText(const std::string& member) const;
  // Returns the value of `text`, a word from `member`. For an unknown word, adds an error and
  // returns the first value.
  template <typename Value, std::size_t Count>
  Value OneOf(const std::string& member, const std::string& text,
              const std::array<JsonWord<Value>, Count>& words) {
    std::string known;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Fail(member, "\"" + text + "\": expected one of " + known);
    return words.front().value;
  }
  // An optional member of any kind; null if absent.
  const nlohmann::json* Value(const std::string& member) { return Get(member, false); }
  // The names of all members, sorted. The caller must read each member; otherwise Finish reports
  // it.
  std::vector<std::string> MemberNames() const;

  // Adds an error for each member that no getter read. Call it last.
  void Finish();
  void Fail(const std::string& member, const std::string& reason);  // "" : the object itself
  std::string Pointer(const std::string& member) const;             // "/metric/m"
  std::string ItemPointer(const std::string& member, std::size_t index) const;  // "/columns/3"

 private:
  const nlohmann::json* Get(const std::string& member, bool required);
  const nlohmann::json* GetArray(const std::string& member, bool required);
  template <typename Item>
  std::vector<Item> Items(const std::string& member, const char* wanted,
                          bool (nlohmann::json::*is)() const noexcept);

  const nlohmann::json* value_;
  std::string pointer_;
  JsonErrors* errors_;
  std::set<std::string> asked_;
};

}  // namespace tunehub::core
