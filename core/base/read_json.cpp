#include "core/base/read_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tunehub::core {

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
  constexpr int kParseError = 101;  // the library's number of "unexpected token"
  const std::string why =
      has_zero ? "a byte is zero"
               : fmt::format("more than {} brackets stand within each other", kMostReadNesting);
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

}  // namespace tunehub::core
