// Reading a JSON file of ours strictly: every member is asked for by name and type, and what nobody
// asked for is an error, so that a misspelt member cannot be ignored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/read_json.h"
#include "core/base/result.h"

namespace tunehub::core {

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
