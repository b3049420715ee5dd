// What is said of a part of an input goes into an answer. What refuses all of it may hold any
// bytes: its answer is written without nlohmann.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/oracle.h"

namespace tunehub::fuzz {

// JSON refuses what is no UTF-8, and an answer that throws is 500.
inline void HoldSent(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    Hold(false, "what is said is UTF-8");
  }
}

}  // namespace tunehub::fuzz
