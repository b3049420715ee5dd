// Tuned rows as examples: per key what won, in the numbers that a heuristic sees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/features.h"
#include "core/analysis/heuristic.h"
#include "core/family/family.h"
#include "core/row/standing.h"

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

}  // namespace tunehub::analysis
