// Default, heuristic and tuned side by side, over the keys of which all three were measured: how
// many times faster, as geometric means.
#pragma once

#include <cmath>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>

namespace tunehub::analysis {

struct ThreeWay {
  std::size_t keys = 0;
  double heuristic_logs = 0, tuned_logs = 0;  // sums of the logarithms of speed-ups

  // NaN: not measured, and then the key is in no figure.
  void Add(double default_us, double heuristic_us, double tuned_us) {
    if (!(default_us > 0 && heuristic_us > 0 && tuned_us > 0)) return;
    ++keys;
    heuristic_logs += std::log(default_us / heuristic_us);
    tuned_logs += std::log(default_us / tuned_us);
  }
  // Precondition of these: keys > 0.
  double heuristic_over_default() const { return Mean(heuristic_logs); }
  double tuned_over_default() const { return Mean(tuned_logs); }
  double tuned_over_heuristic() const { return Mean(tuned_logs - heuristic_logs); }

 private:
  double Mean(double logs) const { return std::exp(logs / static_cast<double>(keys)); }
};

// {"keys": 0}, and the means where there are keys.
nlohmann::ordered_json ToJson(const ThreeWay& compared);

}  // namespace tunehub::analysis
