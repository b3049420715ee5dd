// A JSON text as a document, whoever wrote it: what nests too deep or holds a zero is none. What
// says where in its file something is wrong is read by json_object.h, large bodies by handlers of
// events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace tunehub::core
