// How often a heuristic chooses what tuning found best, and what it costs where it does not.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/heuristic.h"
#include "core/analysis/m_bucket.h"
#include "core/analysis/samples.h"
#include "core/analysis/three_way.h"

namespace tunehub::analysis {

inline constexpr std::size_t kBuckets = 64;  // as many as an M can lie in

struct Tally {
  std::size_t rows = 0, matches = 0;

  double share() const {
    return rows == 0 ? 0 : static_cast<double>(matches) / static_cast<double>(rows);
  }
  void Add(bool match) {
    ++rows;
    if (match) ++matches;
  }
};

// Chosen where another candidate is best.
struct Confusion {
  std::size_t chosen = 0, best = 0;  // into Score::choices
  std::size_t rows = 0;
};

struct Score {
  Tally all;
  std::array<Tally, kBuckets> buckets;  // by BucketOf
  std::vector<Tally> groups;            // by Samples::groups
  std::vector<Confusion> confusions;    // the most frequent first
  // Where the choice was measured beside the best: how many times slower it is, as a geometric
  // mean.
  std::size_t timed_rows = 0;
  double slowdown = 1;
  ThreeWay three_way;  // of keys with several candidates measured, Samples::fallback among them

  // The mean of the shares of the buckets that have rows.
  double balanced() const;
  // Rows up to an M: the end of a bucket.
  Tally UpTo(std::int64_t m, std::int64_t above = 0) const;
};

// What answers a sample, by Choice::identity; null: nothing.
using Chooser = std::function<const std::string*(const Sample&, std::size_t index)>;

Score ScoreOf(const Samples& samples, const Chooser& chooser);
// Of a heuristic; of one candidate, always the same.
Score ScoreOf(const Samples& samples, const Heuristic& heuristic);
Score ScoreOf(const Samples& samples, const Choice& constant);

}  // namespace tunehub::analysis
