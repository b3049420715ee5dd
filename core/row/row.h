// One row of a tuned table: a candidate timed (or declared) on a key.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/hash128.h"
#include "core/row/standing.h"

namespace tunehub::core {

// What the names of tunehub's own kernels begin with.
inline constexpr std::string_view kOwnKernelPrefix = "tk_";

struct Row {
  std::string gfx;
  int cu_num = 0;      // 0: the family has no such column, any count
  std::string engine;  // whose kernel it is, where the family has a column for it; "": none
  Hash128 key;         // HashOf(key text)
  std::string order;   // the order key
  Hash128 candidate;   // HashOf(candidate text)
  // Every column of the family in CSV order, canonical, without line feed; of a quarantined row
  // whose columns are shifted the text it came as.
  std::string line;
  double us = 0;     // microseconds; NaN: none
  double error = 0;  // share of wrong elements; NaN: none given
  Standing standing = Standing::kMeasured;
  std::string reason;           // of the standing
  std::size_t source_line = 0;  // in the file it came from, from 1
  bool own_kernel = false;      // names a kernel of tunehub's own catalog
  bool inferred_gfx = false;    // the file had none: backfilled from the CU count
  bool relative = false;        // Judgement::relative
};

}  // namespace tunehub::core
