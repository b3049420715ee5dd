// What changed, and when.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "core/base/pin.h"

namespace tunehub::store {

// The newest revision that changed what a target is served of a family.
struct TargetHead {
  std::string gfx;
  int cu_num = 0;
  std::int64_t change = 0;
  core::Pin revision;
  std::string created;
};

// Neighbouring revisions of one cause.
struct ChangeLine {
  std::int64_t first = 0, last = 0;  // their numbers
  std::string latest;                // when the last was made
  std::string kind, cause;
  std::vector<std::int64_t> runs;             // the newest of those behind them
  std::int64_t run_count = 0;                 // of all
  std::map<std::int16_t, std::int64_t> keys;  // by family: those that changed, each once
};

// What a key was served with before it was replaced.
struct EarlierTime {
  std::int16_t family = 0;
  std::int16_t provider = 0;
  core::Hash128 key;
  double us = 0;
};

}  // namespace tunehub::store
