// A JSON text as a document, whoever wrote it: what nests too deep or holds a zero is none. What
// says where in its file something is wrong is read by json_object.h, large bodies by handlers of
// events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

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

}  // namespace tunehub::core
