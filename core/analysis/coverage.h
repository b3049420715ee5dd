// Computes the share of a deployment's shapes for which AITER's lookup finds a tuned row. Counts
// shapes by bucket of M and by their other sizes (N and K).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/heuristic.h"
#include "core/lookup/table.h"
#include "core/shapes/shape.h"

namespace tunehub::analysis {

enum class State {
  kExact,  // a measured row of the exact shape
  kGl0,    // a row of M rounded up finely (padded M, gl0)
  kGl1,    // a row of M rounded up coarsely (padded M, gl1)
  // fused MoE: a row at the rounded-up number of tokens (tier), or at the last tier but one
  kTier,
  kNearest,     // a row of the nearest M, of the next bucket, or of the M of whole tiles
  kBaseline,    // a baseline row: the default's time
  kUnmeasured,  // a row without a credible time
  kMissing,     // no row: a heuristic or the default kernel runs
};
inline constexpr std::size_t kStates = 8;
std::string_view Name(State state);  // "exact", "gl0", ...
bool IsCovered(State state);         // by a tuned row with a credible time

// Numbers of shapes by state.
struct Counts {
  std::array<std::int64_t, kStates> of{};
  std::int64_t demand = 0;

  std::int64_t shapes() const;
  std::int64_t covered() const;
  void Add(State state, std::int64_t its_demand);
  void Add(const Counts& other);
};

struct AnsweredShape {
  std::size_t index;  // into the shapes passed to Cover
  State state;
  lookup::LookupAnswer answer;
  std::size_t bucket, pair;  // indices into Coverage's lists
  std::int64_t demand;
};

struct Cell {
  std::size_t bucket, pair;
  Counts counts;
};

// Coverage as one number: the share of shapes that a tuned row answers, averaged over the buckets
// of M. One mean weighs all buckets equally. A second mean weighs a bucket by its misses.
class BucketShare {
 public:
  // `bucket`: a number from BucketOf.
  void Add(std::size_t bucket, State state, std::int64_t demand);
  // Adds the shapes of another table of the same model. No shape counts twice, because no layer
  // reads two tables.
  void Add(const BucketShare& other);

  const Counts& totals() const { return totals_; }
  std::size_t buckets() const { return buckets_.size(); }  // number of buckets with a shape
  double covered() const;                                  // the share, with equal weights
  double exact() const;                                    // the share of exact rows only
  // The share with misses as weights of the buckets; nullopt if there are no misses.
  std::optional<double> covered_by_demand() const;

 private:
  std::map<std::size_t, Counts> buckets_;
  Counts totals_;
};

struct Coverage {
  std::vector<std::size_t> columns;             // the family's columns that make a pair (N and K)
  std::vector<MBucket> buckets;                 // buckets that contain a shape, by M
  std::vector<std::vector<std::string>> pairs;  // the cells of `columns`, by first shape
  std::vector<Cell> cells;                      // by bucket, then by pair; empty cells omitted
  std::vector<AnsweredShape> shapes;            // in the order given
  BucketShare share;

  const Counts& totals() const { return share.totals(); }
};

// The columns of the heat map's axis beside the buckets of M, such as N and K for a GEMM.
std::vector<std::size_t> PairColumns(const core::Family& family);
// The column of the buckets: the padded column, or else the heat map's column.
std::size_t BucketColumn(const core::Family& family);

// `gfx` and `cu_num` are the target of the lookups. A repeated shape counts once, with the sum of
// its demand.
Coverage Cover(const lookup::Table& table, std::string_view gfx, int cu_num,
               std::span<const core::ShapeDemand> shapes);

}  // namespace tunehub::analysis
