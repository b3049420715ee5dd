// A key with what is known of its times.
#pragma once

#include <cmath>
#include <limits>
#include <tuple>

#include "core/analysis/key_place.h"

namespace tunehub::analysis {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Of one family and gfx. Times in microseconds, above zero, or kUnknown.
struct TimedKey {
  KeyPlace place;
  int cu_num = 0;
  double roofline_us = kUnknown, tuned_us = kUnknown, default_us = kUnknown;

  bool is_tuned() const { return !std::isnan(tuned_us); }
  bool has_default() const { return !std::isnan(default_us); }
  bool has_roofline() const { return !std::isnan(roofline_us); }
  double share() const { return roofline_us / tuned_us; }
  double ratio() const { return default_us / tuned_us; }
};

inline bool IsSameKey(const TimedKey& a, const TimedKey& b) {
  return a.cu_num == b.cu_num && a.place.IsSame(b.place);
}

// By what keys are sorted: target, other columns, N, K, M.
inline auto Order(const TimedKey& key) {
  const KeyPlace& it = key.place;
  return std::tie(key.cu_num, it.rest, it.n, it.k, it.m);
}

}  // namespace tunehub::analysis
