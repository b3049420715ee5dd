// What a Result says, as text to compare whole. In the namespace above all rooms, whose tests all
// use it.
#pragma once

#include <string>

#include "core/base/result.h"

namespace tunehub {

// "" where it is good.
template <typename T>
std::string ErrorCode(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

// "code: detail", or "" where it is good.
template <typename T>
std::string ErrorText(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code + ": " + result.error().detail;
}

}  // namespace tunehub
