// Parses the parameters of a list: the kind of its lines, and their order.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"

namespace tunehub::analysis {

using ChoiceNames = std::span<const std::string_view>;

// The error bad_parameter: it lists the names, then `more`.
inline core::Error NotOneOf(std::string_view parameter, std::string_view text, ChoiceNames names,
                            std::string_view more = "") {
  return {"bad_parameter", fmt::format("{}: '{}': expected one of {}{}", parameter,
                                       core::Excerpt(text), fmt::join(names, ", "), more)};
}

// Returns the kind with this name. Errors: bad_parameter.
template <typename Kind>
core::Result<Kind> KindOf(std::string_view parameter, std::string_view text, ChoiceNames names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return NotOneOf(parameter, text, names);
  return static_cast<Kind>(found - names.begin());
}

// Sets order and descending: "speedup", or "-speedup" for the greatest first. Errors:
// bad_parameter.
template <typename Choice>
core::Status ParseOrder(std::string_view text, ChoiceNames names, Choice& choice) {
  const bool descending = text.starts_with('-');
  const auto found = std::ranges::find(names, text.substr(descending ? 1 : 0));
  if (found == names.end()) return NotOneOf("sort", text, names, ", or a '-' and one of these");
  choice.order = static_cast<decltype(choice.order)>(found - names.begin());
  choice.descending = descending;
  return core::Ok();
}

}  // namespace tunehub::analysis
