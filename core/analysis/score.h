// Samples for heuristics: the winner of each tuned shape key, with its features. A score says how
// often a heuristic chooses the winner, and how much slower its other choices are.
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
  std::size_t choice = 0;  // index into Samples::choices
  double us = 0;           // NaN: declared without a time
};

struct Sample {
  std::vector<double> numbers;     // Features::Of
  std::int64_t m = 1;              // the shape's M, for its bucket; at least 1
  std::size_t group = 0;           // index into Samples::groups
  std::size_t choice = 0;          // the winner
  std::vector<TimedChoice> timed;  // all measured choices of the shape key; the winner is first
};

// The samples of one family and one target.
struct Samples {
  explicit Samples(const core::Family& row_family) : family(row_family), features(row_family) {}

  const core::Family& family;
  Features features;
  std::vector<Sample> rows;
  std::vector<Choice> choices;      // distinct candidates
  std::vector<std::string> groups;  // shapes without their M, such as "N=1280 K=5120"
  std::size_t without_time = 0;     // omitted rows: without a time their choice may be wrong
  std::optional<Choice> fallback;   // runs without tuning; absent: unknown
};

// The parts of a tuned row that a sample needs.
struct SampleRow {
  std::string_view line;  // every column, canonical
  int cu_num = 0;
  double us = 0;
  core::Standing standing = core::Standing::kMeasured;
};

class ChoiceTable;

// Makes samples from rows, one at a time, so that the rows need not stay in memory. The fastest row
// of a shape key wins. Omits rows that are neither measured nor declared.
class SampleMaker {
 public:
  explicit SampleMaker(const core::Family& family);
  ~SampleMaker();
  SampleMaker(const SampleMaker&) = delete;
  SampleMaker& operator=(const SampleMaker&) = delete;

  void Add(const SampleRow& row);
  // Call once, at the end.
  Samples Done();

 private:
  const core::Family& family_;
  const std::size_t m_;
  Samples samples_;
  std::unordered_map<std::string, std::size_t> keys_, groups_;  // indices by text
  std::unique_ptr<ChoiceTable> choices_;
  std::string scratch_, key_;
};

Samples MakeSamples(const core::Family& family, std::span<const SampleRow> rows);

// core::MColumnOf, or else the first shape column.
std::size_t MColumn(const core::Family& family);
// "M=16 N=1280 K=5120": the shape columns, in the family's order.
std::string ShapeText(const core::Family& family, const core::Cells& cells);
// ShapeText without MColumn: "N=1280 K=5120".
std::string GroupOf(const core::Family& family, const core::Cells& cells);

inline constexpr std::size_t kBuckets = 64;  // BucketOf is less for any M

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

// A wrong choice and the best choice. kNoChoice: the heuristic chose nothing.
struct Confusion {
  std::size_t chosen = 0, best = 0;  // indices into Score::choices
  std::size_t rows = 0;
};

struct Score {
  Tally all;
  std::array<Tally, kBuckets> buckets;  // by BucketOf
  std::vector<Tally> groups;            // by Samples::groups
  std::vector<Confusion> confusions;    // the most frequent first
  // The slow-down: the time of the heuristic's choice / the time of the best measured candidate. It
  // is a geometric mean over rows with several measured candidates.
  std::size_t timed_rows = 0;
  double slowdown = 1;
  ThreeWay three_way;  // over shape keys with times for the choice and Samples::fallback

  // The share of matches, averaged over the buckets with rows.
  double balanced() const;
  // Rows with an M in (above, m]. Both limits are ends of buckets.
  Tally UpTo(std::int64_t m, std::int64_t above = 0) const;
};

// Returns a Choice::identity for a sample; null: no answer.
using Chooser = std::function<const std::string*(const Sample&, std::size_t index)>;

Score ScoreOf(const Samples& samples, const Chooser& chooser);
// Scores a heuristic's choices, or the same candidate for every sample.
Score ScoreOf(const Samples& samples, const Heuristic& heuristic);
Score ScoreOf(const Samples& samples, const Choice& constant);

// Models and checkpoints with the same sizes at one TP form one configuration.
struct ModelTally {
  std::vector<std::string> models;
  std::int64_t tp = 1;
  std::size_t shapes = 0;  // number of distinct (N, K) of the model's matrix products
  Tally tally;
};

// One tally of rows for each configuration (TP 1, 2, 4, 8, 16) whose matrix products all have rows.
// Empty if the family is not a plain GEMM.
std::vector<ModelTally> ByModel(const Samples& samples, const Score& score,
                                const std::vector<core::Model>& models);

// Scores as JSON. The agent and the server use the same code.
nlohmann::ordered_json ToJson(const Tally& tally);
// Rows, matches, share; balanced; buckets; the slow-down and the three-way means, if measured.
nlohmann::ordered_json ToJson(const Score& score);
// The first `most` tallies by Samples::groups.
nlohmann::ordered_json GroupsJson(const Samples& samples, const Score& score, std::size_t most);
// The most frequent confusions, at most `most`.
nlohmann::ordered_json ConfusionsJson(const Samples& samples, const Score& score, std::size_t most);

}  // namespace tunehub::analysis
