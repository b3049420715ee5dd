#include "core/analysis/speedups.h"

#include "core/analysis/statistics.h"

namespace tunehub::analysis {
namespace {

constexpr double kTwice = 2;

class Collected {
 public:
  // Of a key whose `slow` and `fast` were both measured.
  void Add(const SpeedupKey& key, double slow, double fast) {
    if (std::isnan(slow) || std::isnan(fast)) return;
    const double speedup = slow / fast;
    values_.push_back(speedup);
    if (speedup > kTwice) ++spread_.above_two;
    if (spread_.worst_key == nullptr || speedup < spread_.worst) {
      spread_.worst = speedup;
      spread_.worst_key = &key;
    }
    ++spread_.histogram[static_cast<int>(std::floor(std::log2(speedup) / kHistogramStep))];
  }

  Spread Done() {
    spread_.keys = values_.size();
    if (values_.empty()) return spread_;
    spread_.geometric_mean = GeometricMean(values_);
    spread_.median = Median(std::move(values_));
    return spread_;
  }

 private:
  std::vector<double> values_;
  Spread spread_;
};

}  // namespace

SpeedupSummary Summarize(const SpeedupKeys& keys) {
  SpeedupSummary summary;
  summary.keys = keys.size();
  Collected tuned, heuristic, over;
  for (const SpeedupKey* key : keys) {
    if (!key->has_default()) ++summary.without_default;
    if (!key->has_heuristic()) ++summary.without_heuristic;
    tuned.Add(*key, key->default_us, key->tuned_us);
    heuristic.Add(*key, key->default_us, key->heuristic_us);
    over.Add(*key, key->heuristic_us, key->tuned_us);
    summary.three_way.Add(key->default_us, key->heuristic_us, key->tuned_us);
  }
  summary.tuned_over_default = tuned.Done();
  summary.heuristic_over_default = heuristic.Done();
  summary.tuned_over_heuristic = over.Done();
  return summary;
}

std::map<std::string, SpeedupKeys> Divide(const SpeedupKeys& keys, const Naming& naming) {
  std::map<std::string, SpeedupKeys> parts;
  for (const SpeedupKey* key : keys) {
    for (const std::string& name : naming(*key)) parts[name].push_back(key);
  }
  return parts;
}

}  // namespace tunehub::analysis
