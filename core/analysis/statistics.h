// Means, medians, settled times of several runs, and the limits of comparisons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace tunehub::analysis {

// Preconditions: `values` is not empty, and all values are above zero.
inline double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// The middle value, or the mean of the middle two. Precondition: not empty.
inline double Median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct Interval {
  double low = 0, high = 0;
};

inline constexpr std::size_t kLeastForInterval = 6;  // fewer samples have no 95 % interval

// Returns the 95 % confidence interval of the median, by order statistics. Its ends are two of the
// sorted samples. It is valid for any distribution. nullopt: too few samples.
inline std::optional<Interval> MedianInterval(std::vector<double> samples) {
  constexpr double kEachSide = 0.025;
  if (samples.size() < kLeastForInterval) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const auto count = static_cast<double>(samples.size());
  // `below` is the probability that at most `rank` samples are below the median.
  double log_chance = -count * std::log(2.0), below = std::exp(log_chance);
  std::size_t rank = 0;
  for (;;) {
    const auto k = static_cast<double>(rank);
    log_chance += std::log((count - k) / (k + 1));
    below += std::exp(log_chance);
    if (below > kEachSide) break;
    ++rank;
  }
  return Interval{samples[rank], samples[samples.size() - 1 - rank]};
}

// Rounds to four decimals, the format of times, ratios and shares in answers.
inline double Rounded(double value) {
  constexpr double kDecimals = 1e4;
  return std::round(value * kDecimals) / kDecimals;
}

inline constexpr double kAgreeingSpread = 0.05;  // slowest run / fastest run - 1
inline constexpr std::size_t kEnoughRuns = 3;    // this many suffice if they agree
// if this many runs disagree, the closest pair decides
inline constexpr std::size_t kMostRuns = 5;

// One time from several runs of a candidate.
struct Settled {
  double us = 0;
  bool stable = true;  // false: measure it again
};

// Returns the median of runs that agree. If five or more runs disagree, returns the mean of the
// closest two. If fewer runs disagree, returns their median with stable = false. Returns nullopt if
// there are no runs.
inline std::optional<Settled> Settle(std::vector<double> runs, double spread = kAgreeingSpread) {
  if (runs.empty()) return std::nullopt;
  std::sort(runs.begin(), runs.end());
  if (runs.back() <= runs.front() * (1 + spread)) return Settled{Median(runs), true};
  if (runs.size() < kMostRuns) return Settled{Median(runs), false};
  std::size_t closest = 1;
  for (std::size_t i = 2; i < runs.size(); ++i) {
    if (runs[i] / runs[i - 1] < runs[closest] / runs[closest - 1]) closest = i;
  }
  return Settled{(runs[closest - 1] + runs[closest]) / 2, true};
}

// Two speed-ups over the default: the heuristic's choice and the tuned candidate. Both are
// geometric means over the shape keys for which somebody measured all three.
struct ThreeWay {
  std::size_t keys = 0;
  double heuristic_logs = 0, tuned_logs = 0;  // sums of the logarithms of speed-ups

  // NaN: not measured. Ignores a shape key without all three times.
  void Add(double default_us, double heuristic_us, double tuned_us) {
    if (!(default_us > 0 && heuristic_us > 0 && tuned_us > 0)) return;
    ++keys;
    heuristic_logs += std::log(default_us / heuristic_us);
    tuned_logs += std::log(default_us / tuned_us);
  }
  // Precondition of the next three: keys > 0.
  double heuristic_over_default() const { return Mean(heuristic_logs); }
  double tuned_over_default() const { return Mean(tuned_logs); }
  double tuned_over_heuristic() const { return Mean(tuned_logs - heuristic_logs); }

 private:
  double Mean(double logs) const { return std::exp(logs / static_cast<double>(keys)); }
};

// {"keys": 0}, with the means if there are keys.
nlohmann::ordered_json ToJson(const ThreeWay& compared);

// The head is slower on a shape key if its time is above ratio * base time + slack.
struct CompareLimits {
  double ignore_below_us = 4;  // for a shorter base time, the clock's error dominates
  double ratio = 1.005;
  double slack_us = 0.5;
  double spread = kAgreeingSpread;
};

enum class Change : std::uint8_t {
  kSlower,      // a regression
  kUnstable,    // the runs of the base or of the head disagree: measure again
  kSameKernel,  // slower by the rule, but the same kernel measured again: noise
  kNotInHead,   // only the base contains it
  kNotInBase,   // only the head contains it
  kSkipped,     // both sides contain the key, but one has no time
  kBelowFloor,  // the base's time is below ignore_below_us: no decision
  kFaster,
  kSame,
};
inline constexpr std::size_t kChanges = 9;
inline constexpr std::string_view kChangeNames[kChanges] = {"slower",
                                                            "unstable",
                                                            "same_kernel",
                                                            "not_measured_in_head",
                                                            "not_measured_in_base",
                                                            "skipped",
                                                            "below_floor",
                                                            "faster",
                                                            "same"};
inline std::string_view Name(Change change) {
  return kChangeNames[static_cast<std::size_t>(change)];
}

// Compares two settled times only by the limits: kSlower, kFaster, kSame or kBelowFloor.
inline Change ChangeOfTimes(double base_us, double head_us, const CompareLimits& limits) {
  if (base_us < limits.ignore_below_us) return Change::kBelowFloor;
  if (base_us > limits.ratio * head_us + limits.slack_us) return Change::kFaster;
  return head_us > limits.ratio * base_us + limits.slack_us ? Change::kSlower : Change::kSame;
}

}  // namespace tunehub::analysis
