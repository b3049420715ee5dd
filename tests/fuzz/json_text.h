// Checks texts about a part of an input, which go into a JSON answer. An error about the whole
// input may contain any bytes, because the server writes it without nlohmann.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/target.h"

namespace tunehub::fuzz {

// If a text is not UTF-8, nlohmann throws, and the answer would be 500.
inline void HoldSent(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    Hold(false, "what is said is UTF-8");
  }
}

}  // namespace tunehub::fuzz
