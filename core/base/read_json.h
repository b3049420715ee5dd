// A JSON text as a document, whoever wrote it: what nests too deep or holds a zero is none. Files
// of ours are read strictly: every member is asked for by name and type, and what nobody asked for
// is an error, so that a misspelt member cannot be ignored. Large bodies are read by handlers of
// events.
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

// Copying JSON and writing it out recurse: ten thousand brackets would end the stack. No text means
// that many.
inline constexpr int kMaxJsonNesting = 32;
bool NestsTooDeep(std::string_view json, int most = kMaxJsonNesting);

// The parser takes a zero for the end, and whoever is given the text afterwards may not.
inline bool HoldsZero(std::string_view json) {
  return json.find('\0') != std::string_view::npos;
}

// Behind the string whose first quote stands at `at`; the text's size where it has no end.
std::size_t EndOfJsonString(std::string_view json, std::size_t at);

// A whole number of what somebody else wrote, where the library's own conversion takes 1e300, 2.5
// and true for integers.

// Throws Json::out_of_range, for a caller that catches what `at` throws, where the value is no
// whole number within min..max. Json: nlohmann::json or ordered_json.
template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min,
                         std::int64_t max = std::numeric_limits<std::int64_t>::max());

// "/shapes/0/M: 1e999 is out of range": the first number of `text` that no double holds, by its
// JSON pointer; bad_json. Nothing where there is none before the text's first other mistake. Reads
// the text again: for one that a parser has refused.
std::optional<Error> FindOverflow(std::string_view text);

// An answer, and what is stored, may hold what was given (kMaxJsonNesting) within brackets of its
// own.
inline constexpr int kMostReadNesting = 2 * kMaxJsonNesting;

// Discarded where the text is no JSON, nests too deep or holds a zero. Json: nlohmann::json or
// ordered_json.
template <typename Json>
Json ReadJsonAs(std::string_view text);
nlohmann::json ReadJson(std::string_view text);

// Of what must be JSON, since it was checked before it was kept, or because the caller catches.
// Throws Json::parse_error.
template <typename Json>
Json SureJsonAs(std::string_view text);
nlohmann::json SureJson(std::string_view text);

// JSON that must leave as it came in: members in their order, values by their own text, which a
// parsed document no longer has (1.0 and 1, a member that comes twice).

struct JsonMember {
  std::string name;        // unescaped
  std::string_view value;  // its text, blanks within it included
};

// The members of an object, in their order, each as often as it comes. Errors: bad_json with line
// and column, also of what nests too deep; not_an_object.
Result<std::vector<JsonMember>> JsonMembers(std::string_view text);

// JSON with a line for each member and item, as nlohmann's dump and Python's json.dump have it, and
// every value by its own text.
std::string IndentedJson(std::string_view json, int indent);

// An object's text without the blanks between its parts. Errors: as above, and twice_in_object
// where it, or an object in it, has a member twice.
Result<std::string> CompactJsonObject(std::string_view text);

// The same of a value that is known to be JSON.
std::string WithoutBlanks(std::string_view json);

// One text for all objects that are equal: every object's members by name. What is no JSON stays as
// it is.
std::string SortedJson(std::string_view json);

// The first thing found wrong with a file; what comes after it is often a consequence of it.
class JsonErrors {
 public:
  JsonErrors(std::string file, std::string code) : file_(std::move(file)), code_(std::move(code)) {}

  void Add(const std::string& pointer, const std::string& reason);
  // With the file's own code; the detail has begun with its place already.
  void Add(const Error& error);
  bool any() const { return error_.has_value(); }
  const Error& first() const { return *error_; }  // precondition: any()

 private:
  std::string file_, code_;
  std::optional<Error> error_;
};

// Null, with an error added, where the text is no JSON, has more than `nesting` brackets within
// each other or names a member twice. Of a null every getter of JsonObject finds nothing.
nlohmann::json ParseJson(std::string_view text, JsonErrors& errors, int nesting = kMaxJsonNesting);

// RFC 6901: a member's name within a pointer.
std::string EscapedForPointer(const std::string& member);

// A word of a file, and what it stands for.
template <typename Value>
struct JsonWord {
  std::string_view word;
  Value value;
};

// One object of the file. A getter that fails adds an error and returns an empty value, so that
// callers read on without a branch and look at JsonErrors once. `value` and `errors` must outlive
// it.
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
  // Integers above 0, each above the one before it; none where the member is absent.
  std::vector<std::int64_t> Ascending(const std::string& member);
  bool IsText(const std::string& member) const;
  // What `text`, which the member holds, stands for; the first where it is none of the words.
  template <typename Value, std::size_t Count>
  Value OneOf(const std::string& member, const std::string& text,
              const std::array<JsonWord<Value>, Count>& words) {
    std::string known;
    for (const auto& [word, value] : words) {
      if (word == text) return value;
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    Fail(member, "\"" + text + "\" is none of " + known);
    return words.front().value;
  }
  // An optional member of any kind; null where there is none.
  const nlohmann::json* Value(const std::string& member) { return Get(member, false); }
  // Every member's name, in the order of the names; each must then be asked for.
  std::vector<std::string> MemberNames() const;

  // Adds an error for each member that nobody asked for. Call it last.
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
