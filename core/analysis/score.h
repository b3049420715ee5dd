// Tuned rows as examples, per key what won, in the numbers that a heuristic sees; how often a
// heuristic chooses what tuning found best, and what it costs where it does not.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/heuristic.h"
#include "core/analysis/statistics.h"
#include "core/family/family.h"
#include "core/row/standing.h"
#include "core/shapes/model.h"

namespace tunehub::analysis {

struct TimedChoice {
  std::size_t choice = 0;  // into Samples::choices
  double us = 0;           // NaN: declared, without a time
};

struct Sample {
  std::vector<double> numbers;     // Features::Of
  std::int64_t m = 1;              // what buckets are of; 1 or more
  std::size_t group = 0;           // into Samples::groups
  std::size_t choice = 0;          // what won
  std::vector<TimedChoice> timed;  // all that were measured on the key, the winner first
};

// The samples of one family and one target.
struct Samples {
  explicit Samples(const core::Family& row_family) : family(row_family), features(row_family) {}

  const core::Family& family;
  Features features;
  std::vector<Sample> rows;
  std::vector<Choice> choices;      // each candidate once
  std::vector<std::string> groups;  // shapes without M, as "N=1280 K=5120"
  std::size_t without_time = 0;     // rows left out: nobody knows whether their choice is right
  std::optional<Choice> fallback;   // what runs untuned, where somebody says it
};

// What is looked at of a tuned row.
struct SampleRow {
  std::string_view line;  // every column, canonical
  int cu_num = 0;
  double us = 0;
  core::Standing standing = core::Standing::kMeasured;
};

class ChoiceTable;

// Samples of rows that come one after the other, and need not stay. Of several rows of a key the
// fastest won; rows without a time that can be believed are left out, except where the family has
// none at all.
class SampleMaker {
 public:
  explicit SampleMaker(const core::Family& family);
  ~SampleMaker();
  SampleMaker(const SampleMaker&) = delete;
  SampleMaker& operator=(const SampleMaker&) = delete;

  void Add(const SampleRow& row);
  // Once, at the end.
  Samples Done();

 private:
  const core::Family& family_;
  const std::size_t m_;
  Samples samples_;
  std::unordered_map<std::string, std::size_t> keys_, groups_;  // their places
  std::unique_ptr<ChoiceTable> choices_;
  std::string scratch_, key_;
};

Samples MakeSamples(const core::Family& family, std::span<const SampleRow> rows);

// The shape column that a lookup pads; where there is none, the first of the shape.
std::size_t MColumn(const core::Family& family);
// "M=16 N=1280 K=5120": the shape columns, in the family's order.
std::string ShapeText(const core::Family& family, const core::Cells& cells);
// The same without MColumn: "N=1280 K=5120".
std::string GroupOf(const core::Family& family, const core::Cells& cells);

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
