// What is wrong with a parameter's value, in one sentence: error bad_parameter.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace tunehub::service {

// "NAME: 'VALUE' WHY", of the value an excerpt.
core::Error BadParameter(std::string_view name, std::string_view value, std::string_view why);

// "NAME: 'VALUE' is not allowed, only ALLOWED".
core::Error NotAllowed(std::string_view name, std::string_view value, std::string_view allowed);

}  // namespace tunehub::service
