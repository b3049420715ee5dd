#include "server/service/registry/bad_parameter.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"

namespace tunehub::service {

core::Error BadParameter(std::string_view name, std::string_view value, std::string_view why) {
  return {"bad_parameter", fmt::format("{}: '{}' {}", name, core::Excerpt(value), why)};
}

core::Error NotAllowed(std::string_view name, std::string_view value, std::string_view allowed) {
  return BadParameter(name, value, fmt::format("is not allowed, only {}", allowed));
}

}  // namespace tunehub::service
