// What is wrong with a parameter's value, in one sentence: error bad_parameter.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace tunehub::service {

// What a revision may be given as.
inline constexpr std::string_view kPinForm =
    "a number from 0 on, or a pin such as 81-0f3a5c2e9b7d4186a1c0e8f2d4b69753";

// "NAME: 'VALUE' WHY", of the value an excerpt.
core::Error BadParameter(std::string_view name, std::string_view value, std::string_view why);

// "NAME: 'VALUE' is not allowed, only ALLOWED".
core::Error NotAllowed(std::string_view name, std::string_view value, std::string_view allowed);

}  // namespace tunehub::service
