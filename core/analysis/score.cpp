#include "core/analysis/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

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

}  // namespace tunehub::analysis
