// Reads a core::Result. The functions are in the outer namespace because tests of every room use
// them.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace tunehub {

// The value. If there is an error, throws it, which fails the test.
template <typename T>
T Must(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().code + ": " + result.error().detail);
  return *std::move(result);
}

// The error's code; "" if there is none.
template <typename T>
std::string ErrorCode(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

// "code: detail"; "" if there is no error.
template <typename T>
std::string ErrorText(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code + ": " + result.error().detail;
}

}  // namespace tunehub
