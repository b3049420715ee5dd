// A JSON text as a document, whoever wrote it: what nests too deep or holds a zero is none. What
// says where in its file something is wrong is read by json_object.h, large bodies by handlers of
// events.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/base/json_scan.h"

namespace tunehub::core {

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
