#include "core/analysis/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/analysis/statistics.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::analysis {
namespace {

std::unordered_map<std::string, std::size_t> PlacesOf(const std::vector<Choice>& choices) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < choices.size(); ++i) places.emplace(choices[i].identity, i);
  return places;
}

// Of a candidate on a key; NaN: not measured.
double TimeOf(const Sample& sample, std::size_t choice) {
  const auto timed = std::ranges::find(sample.timed, choice, &TimedChoice::choice);
  return timed == sample.timed.end() ? std::numeric_limits<double>::quiet_NaN() : timed->us;
}

}  // namespace

double Score::balanced() const {
  double sum = 0;
  std::size_t buckets_with_rows = 0;
  for (const Tally& tally : buckets) {
    if (tally.rows == 0) continue;
    sum += tally.share();
    ++buckets_with_rows;
  }
  return buckets_with_rows == 0 ? 0 : sum / static_cast<double>(buckets_with_rows);
}

Tally Score::UpTo(std::int64_t m, std::int64_t above) const {
  Tally sum;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i].rows == 0 || BucketAt(i).to > m || BucketAt(i).from <= above) continue;
    sum.rows += buckets[i].rows;
    sum.matches += buckets[i].matches;
  }
  return sum;
}

Score ScoreOf(const Samples& samples, const Chooser& chooser) {
  Score score;
  score.groups.resize(samples.groups.size());
  const auto places = PlacesOf(samples.choices);
  const auto untuned = samples.fallback ? places.find(samples.fallback->identity) : places.end();
  const std::size_t fallback = untuned == places.end() ? kNoChoice : untuned->second;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> confused;
  double log_sum = 0;
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const Sample& sample = samples.rows[i];
    const std::string* const identity = chooser(sample, i);
    const auto found = identity == nullptr ? places.end() : places.find(*identity);
    const std::size_t chosen = found == places.end() ? kNoChoice : found->second;
    const bool match = chosen == sample.choice;
    score.all.Add(match);
    score.buckets[BucketOf(sample.m)].Add(match);
    score.groups[sample.group].Add(match);
    if (!match) ++confused[{chosen, sample.choice}];
    if (sample.timed.size() < 2) continue;
    const double us = TimeOf(sample, chosen), best_us = sample.timed.front().us;
    score.three_way.Add(TimeOf(sample, fallback), us, best_us);
    if (!(us > 0)) continue;
    ++score.timed_rows;
    log_sum += std::log(us / best_us);
  }
  if (score.timed_rows > 0) {
    score.slowdown = std::exp(log_sum / static_cast<double>(score.timed_rows));
  }
  for (const auto& [pair, rows] : confused) {
    score.confusions.push_back({pair.first, pair.second, rows});
  }
  std::stable_sort(score.confusions.begin(), score.confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.rows > b.rows; });
  return score;
}

Score ScoreOf(const Samples& samples, const Heuristic& heuristic) {
  return ScoreOf(samples, [&](const Sample& sample, std::size_t) {
    return &heuristic.choices[heuristic.Choose(sample.numbers)].identity;
  });
}

Score ScoreOf(const Samples& samples, const Choice& constant) {
  return ScoreOf(samples, [&](const Sample&, std::size_t) { return &constant.identity; });
}

namespace {

using Size = std::pair<std::int64_t, std::int64_t>;  // N, K

constexpr std::int64_t kMostTp = 16;

std::map<Size, Tally> BySize(const Samples& samples, const Score& score) {
  const core::Family& family = samples.family;
  const std::size_t n = samples.features.Find(family.columns[family.metric.n].name);
  const std::size_t k = samples.features.Find(family.columns[family.metric.k].name);
  std::vector<const Sample*> first(samples.groups.size(), nullptr);
  for (const Sample& sample : samples.rows) {
    if (first[sample.group] == nullptr) first[sample.group] = &sample;
  }
  std::map<Size, Tally> sizes;
  for (std::size_t i = 0; i < first.size(); ++i) {
    Tally& tally = sizes[{static_cast<std::int64_t>(first[i]->numbers[n]),
                          static_cast<std::int64_t>(first[i]->numbers[k])}];
    tally.rows += score.groups[i].rows;
    tally.matches += score.groups[i].matches;
  }
  return sizes;
}

}  // namespace

std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models) {
  std::vector<ModelTally> tallies;
  if (samples.family.metric.formula != "gemm") return tallies;
  const auto sizes = BySize(samples, score);
  std::map<std::pair<std::int64_t, std::set<Size>>, std::size_t> places;  // into `tallies`
  for (const core::Model& model : models) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto projections = core::Projections(model, tp);
      if (!projections.ok()) continue;  // it cannot be split so
      std::set<Size> asked;
      for (const core::Projection& it : *projections) asked.emplace(it.n, it.k);
      const auto measured = [&](const Size& size) { return sizes.contains(size); };
      if (asked.empty() || !std::ranges::all_of(asked, measured)) continue;
      const auto [known, fresh] = places.try_emplace({tp, asked}, tallies.size());
      if (!fresh) {
        tallies[known->second].models.push_back(model.name);
        continue;
      }
      ModelTally& made = tallies.emplace_back(ModelTally{{model.name}, tp, asked.size(), {}});
      for (const Size& size : asked) {
        made.tally.rows += sizes.at(size).rows;
        made.tally.matches += sizes.at(size).matches;
      }
    }
  }
  return tallies;
}

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
