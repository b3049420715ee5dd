// What tuning a model's shapes on a target is worth, layer by layer. Pure.
//
// A group is what M is multiplied with: one family and, mostly, one (N, K). Its shapes have weights
// that add up to 1: each bucket of M (1, 2, 3-4, ...) weighs what was missed of the family in it,
// or the same where nothing was missed of the group's shapes, and is shared alike by the group's
// shapes in it. A time x of a call is, per layer and token,
//
//   sum over the shapes of weight * x / M
//
// and times the layers that make the product, per token of the model. x is
//   lost       time - roofline, of shapes that find a tuned row
//   brought    default - tuned, of these, where both were measured
//   worth      default - tuned, estimated, of shapes that have no tuned row (analysis/estimates.h)
//   tuned_us   the estimated tuned time, of the same
// Where an estimate is not sure (analysis/held_out.h), its range takes the place of the number; one
// that could not be held against any measurement, or whose shape finds a row that nobody measured,
// has no basis, and is in no sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/analysis/estimates.h"
#include "core/row/roofline.h"

namespace tunehub::analysis {

enum class Need { kMissing, kBaseline, kUnmeasured, kSlow };  // kSlow: tuned, with a time
inline constexpr std::size_t kNeeds = 4;
std::string_view Name(Need need);  // "missing", "baseline", "unmeasured", "slow"

// One shape of a model on the target. Of a tuned one, key and roofline are of the row that it
// finds.
struct NeededShape {
  Need need = Need::kMissing;
  std::int64_t m = 1;  // that is asked for
  std::size_t bucket = 0, pair = 0;
  std::int64_t demand = 0;
  TimedKey key = {};
  core::Roofline roofline = {};  // product null: unknown
};

// An estimate's kind, and how good it is.
struct BasisUse {
  Basis basis = Basis::kRoofline;
  bool default_measured = false;
  std::size_t shapes = 0;       // that were estimated so
  TimeEstimate first;           // of the smallest M
  std::int64_t m = 0;           // which that is
  std::string shape, ratio_of;  // its key; the key that its default's ratio is of, "": none
  HeldOut tuned, worth;         // held-out errors of the tuned time, and of the worth
};

struct MRange {
  Need need = Need::kMissing;
  std::int64_t from = 0, to = 0;  // of the grid, without another need between
  std::size_t shapes = 0;
};

struct Span {
  double low = 0, high = 0;
};

struct WorthGroup {
  std::size_t pair = 0;
  std::array<std::size_t, kNeeds> shapes{};
  std::int64_t demand = 0;
  std::vector<MRange> ranges;
  // Per layer and token, in microseconds.
  double lost = 0, brought = 0, worth = 0, tuned_us = 0;
  Span range;              // of `worth`
  bool sure = true;        // all estimates are
  std::size_t judged = 0;  // tuned shapes with a roofline
  std::size_t brought_shapes = 0, worth_shapes = 0, without_basis = 0;
  NeededShape furthest;         // the lowest share, where judged > 0
  double median_share = 0;      // where judged > 0
  std::vector<BasisUse> bases;  // those in use
};

// Groups with any shape, in the order of the pairs.
std::vector<WorthGroup> GroupByPair(const std::vector<NeededShape>& shapes,
                                    const Coverage& coverage, const Estimates& estimates);

}  // namespace tunehub::analysis
