#include "core/base/json_integer.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/excerpt.h"

namespace tunehub::core {

template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min, std::int64_t max) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost);
  if (fits && value.template get<std::int64_t>() >= min &&
      value.template get<std::int64_t>() <= max)
    return value.template get<std::int64_t>();
  constexpr int kOutOfRange = 401;  // the library's number of an index out of range
  const std::string text(Excerpt(value.is_structured() ? value.type_name() : value.dump()));
  throw Json::out_of_range::create(
      kOutOfRange, fmt::format("{} is no whole number within {}..{}", text, min, max), nullptr);
}

template std::int64_t SureInteger(const nlohmann::json&, std::int64_t, std::int64_t);
template std::int64_t SureInteger(const nlohmann::ordered_json&, std::int64_t, std::int64_t);

}  // namespace tunehub::core
