// The gain of tuning: the speed-up of the tuned candidate over the default, and over the
// heuristic's choice. Only measurements count. In this file, "key" means a shape key.
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
#include "core/base/hash.h"

namespace tunehub::analysis {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// The three times of a shape key, in microseconds. The object only points to texts and names,
// because a registry has one object for each tuned row.
struct SpeedupKey {
  core::Hash128 key;
  std::string_view family, gfx;
  int cu_num = 0;
  std::string_view shape;  // "M=16 N=1280 K=5120"
  std::int64_t m = 1;      // the shape's M, for its bucket
  std::string_view campaign;
  // The models that look up the shape, such as "qwen3-32b TP8"; null: none.
  const std::vector<std::string>* models = nullptr;
  double tuned_us = kNotMeasured, default_us = kNotMeasured, heuristic_us = kNotMeasured;
  bool is_operator = false;  // true: default_us is the time of a whole operator

  bool has_default() const { return !std::isnan(default_us); }
  bool has_heuristic() const { return !std::isnan(heuristic_us); }
};

using SpeedupKeys = std::vector<const SpeedupKey*>;

// A histogram bin's width in log2 of the speed-up: four bins per doubling.
inline constexpr double kHistogramStep = 0.25;

struct Spread {
  std::size_t keys = 0;
  double geometric_mean = 1, median = 1;  // valid if keys > 0
  std::size_t above_two = 0;              // keys that are more than twice as fast
  double worst = 1;
  const SpeedupKey* worst_key = nullptr;
  std::map<int, std::size_t> histogram;  // by floor(log2(speed-up) / kHistogramStep)
};

struct SpeedupSummary {
  std::size_t keys = 0;
  std::size_t without_default = 0, without_heuristic = 0;  // keys that lack that time
  Spread tuned_over_default, heuristic_over_default, tuned_over_heuristic;
  ThreeWay three_way;
};

SpeedupSummary Summarize(const SpeedupKeys& keys);

// Returns the names of the groups to which a key belongs.
using Naming = std::function<std::vector<std::string>(const SpeedupKey&)>;
std::map<std::string, SpeedupKeys> Divide(const SpeedupKeys& keys, const Naming& naming);

// All keys with histograms, and parts by family, target, model, bucket of M and campaign.
nlohmann::ordered_json ToJson(const SpeedupKeys& keys);

struct SpeedupLines {
  std::string csv;
  std::size_t left_out = 0;
};
// A line for each key with a default or a heuristic to compare with, at most `most` lines.
SpeedupLines ToCsv(const SpeedupKeys& keys, std::size_t most);

}  // namespace tunehub::analysis
