#include "core/analysis/score_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json NameOf(const Samples& samples, std::size_t choice) {
  return choice == kNoChoice ? Json() : ToJson(samples.choices[choice], samples.family);
}

}  // namespace

Json ToJson(const Tally& tally) {
  return {{"rows", tally.rows}, {"matches", tally.matches}, {"share", Rounded(tally.share())}};
}

Json ToJson(const Score& score) {
  Json json = ToJson(score.all);
  json["balanced"] = Rounded(score.balanced());
  Json buckets = Json::array();
  for (std::size_t i = 0; i < score.buckets.size(); ++i) {
    if (score.buckets[i].rows == 0) continue;
    Json bucket = {{"m_from", BucketAt(i).from}, {"m_to", BucketAt(i).to}};
    bucket.update(ToJson(score.buckets[i]));
    buckets.push_back(std::move(bucket));
  }
  json["m_buckets"] = std::move(buckets);
  if (score.timed_rows > 0) {
    json["slowdown"] = {{"rows", score.timed_rows}, {"geometric_mean", Rounded(score.slowdown)}};
  }
  if (score.three_way.keys > 0) json["three_way"] = ToJson(score.three_way);
  return json;
}

Json ToJson(const ThreeWay& compared) {
  Json json = {{"keys", compared.keys}};
  if (compared.keys == 0) return json;
  json["heuristic_over_default"] = Rounded(compared.heuristic_over_default());
  json["tuned_over_default"] = Rounded(compared.tuned_over_default());
  json["tuned_over_heuristic"] = Rounded(compared.tuned_over_heuristic());
  return json;
}

Json GroupsJson(const Samples& samples, const Score& score, std::size_t most) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < std::min(most, samples.groups.size()); ++i) {
    Json group = {{"shape", samples.groups[i]}};
    group.update(ToJson(score.groups[i]));
    groups.push_back(std::move(group));
  }
  return groups;
}

Json ConfusionsJson(const Samples& samples, const Score& score, std::size_t most) {
  Json confusions = Json::array();
  for (const Confusion& it : score.confusions) {
    if (confusions.size() == most) break;
    confusions.push_back({{"rows", it.rows},
                          {"chosen", NameOf(samples, it.chosen)},
                          {"tuned", NameOf(samples, it.best)}});
  }
  return confusions;
}

}  // namespace tunehub::analysis
