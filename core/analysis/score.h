// How often a heuristic chooses what tuning found best, and what it costs where it does not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/analysis/features.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/samples.h"
#include "core/analysis/statistics.h"
#include "core/shapes/model.h"

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

// Models and checkpoints that ask for the same sizes at one TP are one configuration.
struct ModelTally {
  std::vector<std::string> models;
  std::int64_t tp = 1;
  std::size_t shapes = 0;  // sizes of products
  Tally tally;
};

// For each configuration (TP 1 to 16, powers of two) whose products all have rows: those rows, each
// once. Empty for a family that is no plain GEMM.
std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models);

// Scores as JSON, the same from the agent and the server.
nlohmann::ordered_json ToJson(const Tally& tally);
// Rows, matches, share; balanced; buckets; where measured, the slow-down.
nlohmann::ordered_json ToJson(const Score& score);
// By the shape without M, the first `most` of them.
nlohmann::ordered_json GroupsJson(const Samples& samples, const Score& score, std::size_t most);
// The `most` frequent ones.
nlohmann::ordered_json ConfusionsJson(const Samples& samples, const Score& score, std::size_t most);

}  // namespace tunehub::analysis
