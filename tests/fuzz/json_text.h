// Texts about a part of an input go into a JSON answer. An error about the whole input may hold any
// bytes: the server writes it without nlohmann.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/target.h"

namespace tunehub::fuzz {

// nlohmann throws for text that is no UTF-8, and the answer would be 500.
inline void HoldSent(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    Hold(false, "what is said is UTF-8");
  }
}

}  // namespace tunehub::fuzz
