// Reads a core::Result. It is in the outer namespace because tests of every room use it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace tunehub {

// The value. Throws the error instead, which fails the test.
template <typename T>
T Must(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().code + ": " + result.error().detail);
  return *std::move(result);
}

// "": no error.
template <typename T>
std::string ErrorCode(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code;
}

// "code: detail"; "": no error.
template <typename T>
std::string ErrorText(const core::Result<T>& result) {
  return result.ok() ? "" : result.error().code + ": " + result.error().detail;
}

}  // namespace tunehub
