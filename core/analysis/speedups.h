// What tuning is worth: how many times faster the tuned candidate is than what would run without
// it, by measurements alone. Pure.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// The three times of a key, in microseconds. There is one for each tuned key of a registry: its
// texts and names live elsewhere, as long as it does.
struct SpeedupKey {
  std::string_view family, gfx;
  int cu_num = 0;
  std::string_view shape;  // "M=16 N=1280 K=5120"
  std::int64_t m = 1;      // what buckets are of
  std::string_view campaign;
  // "qwen3-32b TP8": whose serving asks for the shape; null: nobody's.
  const std::vector<std::string>* models = nullptr;
  double tuned_us = kNotMeasured, default_us = kNotMeasured, heuristic_us = kNotMeasured;

  bool has_default() const { return !std::isnan(default_us); }
  bool has_heuristic() const { return !std::isnan(heuristic_us); }
};

using SpeedupKeys = std::vector<const SpeedupKey*>;

// A histogram's bins are this wide in log2 of the speed-up: four to a doubling.
inline constexpr double kHistogramStep = 0.25;

struct Spread {
  std::size_t keys = 0;
  double geometric_mean = 1, median = 1;  // where keys > 0
  std::size_t above_two = 0;              // keys more than twice as fast
  double worst = 1;
  const SpeedupKey* worst_key = nullptr;
  std::map<int, std::size_t> histogram;  // by floor(log2(speed-up) / kHistogramStep)
};

struct SpeedupSummary {
  std::size_t keys = 0;
  std::size_t without_default = 0, without_heuristic = 0;  // not measured: left out, never guessed
  Spread tuned_over_default, heuristic_over_default, tuned_over_heuristic;
  ThreeWay three_way;
};

SpeedupSummary Summarize(const SpeedupKeys& keys);

// The names that a key is counted under, in one way of dividing them.
using Naming = std::function<std::vector<std::string>(const SpeedupKey&)>;
std::map<std::string, SpeedupKeys> Divide(const SpeedupKeys& keys, const Naming& naming);

// The whole with histograms, and parts by family, target, model, bucket of M and campaign.
nlohmann::ordered_json ToJson(const SpeedupKeys& keys);

struct SpeedupLines {
  std::string csv;
  std::size_t left_out = 0;
};
// A line per key that has a default or a heuristic to be compared with, `most` at most.
SpeedupLines ToCsv(const SpeedupKeys& keys, std::size_t most);

}  // namespace tunehub::analysis
