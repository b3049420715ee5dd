// What a Result has or says. In the namespace above all rooms, whose tests all use it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace tunehub {

// What it has; throws its error where it has none, which fails the test that asked.
template <typename T>
T Must(core::Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().code + ": " + result.error().detail);
  return *std::move(result);
}

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
