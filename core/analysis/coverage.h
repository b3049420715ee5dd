// How much of what serving asks for a table answers: every shape against AITER's lookup,
// counted by bucket of M and by what M is multiplied with.
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
  kExact,       // a measured row of this very shape
  kGl0,         // one at the next point of the fine grid of padded M
  kGl1,         // one at the next point of the coarse grid
  kTier,        // one at the tier of its tokens, or at the one below the last
  kNearest,     // one beside it: of the nearest M, the next bucket, or of the shape in whole tiles
  kBaseline,    // a row is found that says what runs untuned, and how long it takes
  kUnmeasured,  // a row is found whose time nobody can trust
  kMissing,     // no row: a heuristic or the default kernel runs
};
inline constexpr std::size_t kStates = 8;
std::string_view Name(State state);  // "exact", "gl0", ...
bool IsCovered(State state);         // found, by a tuned row with a time that can be trusted

// What one or many shapes came to.
struct Counts {
  std::array<std::int64_t, kStates> of{};
  std::int64_t demand = 0;

  std::int64_t shapes() const;
  std::int64_t covered() const;
  void Add(State state, std::int64_t its_demand);
  void Add(const Counts& other);
};

struct AnsweredShape {
  std::size_t index;  // into the shapes that were asked for
  State state;
  lookup::LookupAnswer answer;
  std::size_t bucket, pair;  // of Coverage
  std::int64_t demand;
};

struct Cell {
  std::size_t bucket, pair;
  Counts counts;
};

// Coverage as one number: the mean over the buckets of M of the share of their shapes that a tuned
// row answers. Equal weights and weights by demand are two numbers, never added to one another.
class BucketShare {
 public:
  // `bucket`: as BucketOf has it.
  void Add(std::size_t bucket, State state, std::int64_t demand);
  // What other tables answer for the same model: no layer reads two of them.
  void Add(const BucketShare& other);

  const Counts& totals() const { return totals_; }
  std::size_t buckets() const { return buckets_.size(); }  // with a shape in them
  double covered() const;                                  // buckets weigh the same
  double exact() const;                                    // the same of exact rows alone
  // Buckets weigh as much as was missed in them; nothing: nothing was.
  std::optional<double> covered_by_demand() const;

 private:
  std::map<std::size_t, Counts> buckets_;
  Counts totals_;
};

struct Coverage {
  std::vector<std::size_t> columns;             // of the family: what makes a pair (N and K)
  std::vector<MBucket> buckets;                 // with a shape in them, by M
  std::vector<std::vector<std::string>> pairs;  // the cells of `columns`, in the order of asking
  std::vector<Cell> cells;                      // by bucket, then pair; empty ones left out
  std::vector<AnsweredShape> shapes;            // in the order of asking
  BucketShare share;

  const Counts& totals() const { return share.totals(); }
};

// The column along which buckets are made: the padded one, or the heat map's where nothing is.
std::size_t BucketColumn(const core::Family& family);

// gfx and cu_num: the target that asks. A shape that is asked for twice counts once, with its
// demand added up.
Coverage Cover(const lookup::Table& table, std::string_view gfx, int cu_num,
               std::span<const core::ShapeDemand> shapes);

}  // namespace tunehub::analysis
