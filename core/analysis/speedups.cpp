#include "core/analysis/speedups.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/analysis/heuristic.h"
#include "core/table/csv.h"

namespace tunehub::analysis {
namespace {

constexpr double kTwice = 2;

class Collected {
 public:
  // Ignores a key without a time for `slow` or `fast`.
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

using Json = nlohmann::ordered_json;

Json RoundedOrNull(double value) {
  return std::isnan(value) ? Json() : Json(Rounded(value));
}

std::string TargetOf(const SpeedupKey& key) {
  return key.cu_num == 0 ? std::string(key.gfx) : fmt::format("{}:{}", key.gfx, key.cu_num);
}

Json ToJson(const Spread& spread, bool whole) {
  Json json = {{"keys", spread.keys}};
  if (spread.keys == 0) return json;
  json["geometric_mean"] = RoundedOrNull(spread.geometric_mean);
  json["median"] = RoundedOrNull(spread.median);
  json["above_2x"] =
      RoundedOrNull(static_cast<double>(spread.above_two) / static_cast<double>(spread.keys));
  json["worst"] = RoundedOrNull(spread.worst);
  if (!whole) return json;
  json["worst_key"] = {{"family", spread.worst_key->family},
                       {"target", TargetOf(*spread.worst_key)},
                       {"shape", spread.worst_key->shape}};
  json["histogram"] = Json::array();
  for (const auto& [bin, keys] : spread.histogram) {
    json["histogram"].push_back({{"log2_from", bin * kHistogramStep},
                                 {"log2_to", (bin + 1) * kHistogramStep},
                                 {"keys", keys}});
  }
  return json;
}

Json ToJson(const SpeedupSummary& summary, bool whole) {
  return {{"keys", summary.keys},
          {"without_default", summary.without_default},
          {"without_heuristic", summary.without_heuristic},
          {"tuned_over_default", ToJson(summary.tuned_over_default, whole)},
          {"heuristic_over_default", ToJson(summary.heuristic_over_default, whole)},
          {"tuned_over_heuristic", ToJson(summary.tuned_over_heuristic, whole)},
          {"three_way", ToJson(summary.three_way)}};
}

Json PartsJson(const SpeedupKeys& keys, const Naming& naming) {
  Json parts = Json::array();
  for (const auto& [name, part] : Divide(keys, naming)) {
    Json json = {{"name", name}};
    json.update(ToJson(Summarize(part), false));
    parts.push_back(std::move(json));
  }
  return parts;
}

Json BucketsJson(const SpeedupKeys& keys) {
  std::map<std::size_t, SpeedupKeys> buckets;
  for (const SpeedupKey* key : keys) buckets[BucketOf(key->m)].push_back(key);
  Json parts = Json::array();
  for (const auto& [number, part] : buckets) {
    const MBucket bucket = BucketAt(number);
    Json json = {{"m_from", bucket.from}, {"m_to", bucket.to}};
    json.update(ToJson(Summarize(part), false));
    parts.push_back(std::move(json));
  }
  return parts;
}

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

Json ToJson(const SpeedupKeys& keys) {
  Json json = ToJson(Summarize(keys), true);
  json["by"] = {
      {"family",
       PartsJson(keys, [](const SpeedupKey& key) { return std::vector{std::string(key.family)}; })},
      {"target", PartsJson(keys, [](const SpeedupKey& key) { return std::vector{TargetOf(key)}; })},
      {"model", PartsJson(keys,
                          [](const SpeedupKey& key) {
                            return key.models == nullptr ? std::vector<std::string>() : *key.models;
                          })},
      {"campaign", PartsJson(keys,
                             [](const SpeedupKey& key) {
                               return key.campaign.empty() ? std::vector<std::string>()
                                                           : std::vector{std::string(key.campaign)};
                             })},
      {"m_bucket", BucketsJson(keys)}};
  return json;
}

SpeedupLines ToCsv(const SpeedupKeys& keys, std::size_t most) {
  SpeedupLines lines;
  std::string& csv = lines.csv;
  csv =
      "family,target,shape,campaign,default_us,heuristic_us,tuned_us,tuned_over_default,"
      "heuristic_over_default,tuned_over_heuristic\n";
  const auto add = [&](double value) {
    csv.push_back(',');
    if (!std::isnan(value)) csv += RoundedOrNull(value).dump();
  };
  for (const SpeedupKey* key : keys) {
    if (!key->has_default() && !key->has_heuristic()) continue;
    if (most == 0) {
      ++lines.left_out;
      continue;
    }
    --most;
    core::AppendCsvField(csv, key->family);
    const std::string target = TargetOf(*key);
    for (const std::string_view field : {std::string_view(target), key->shape, key->campaign}) {
      csv.push_back(',');
      core::AppendCsvField(csv, field);
    }
    for (double us : {key->default_us, key->heuristic_us, key->tuned_us}) add(us);
    add(key->default_us / key->tuned_us);
    add(key->default_us / key->heuristic_us);
    add(key->heuristic_us / key->tuned_us);
    csv.push_back('\n');
  }
  return lines;
}

}  // namespace tunehub::analysis
