// A shape is what a lookup asks for, without the target. Demand and jobs consist of shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/row/row.h"
#include "core/row/target.h"

namespace tunehub::core {

struct FamilyShape {
  // One canonical text per column of the family, in its order; empty for columns outside the shape.
  std::vector<std::string> cells;

  bool operator==(const FamilyShape&) const = default;
};

struct NamedCell {
  std::string_view column;  // or an alias of a column
  std::string_view text;
};

// The indices of the family's shape columns, in CSV order.
std::vector<std::size_t> ShapeColumns(const Family& family);

// Checks the names of a shape's columns. A column may be missing if it has a default, or if AITER's
// untuned file of the family lacks it. Issues: unknown_column (not a shape column),
// duplicate_column, missing_column.
std::optional<RowIssue> CheckShapeColumns(const Family& family, std::span<const NamedCell> given,
                                          std::size_t line);

// Fills `shape` from cells in any order. A missing cell gets its default, which may depend on `gfx`
// ("": unknown), or stays empty. Issues: as CheckShapeColumns, or a code of CanonicalCell, with the
// column and `line`.
std::optional<RowIssue> MakeShape(const Family& family, std::string_view gfx,
                                  std::span<const NamedCell> given, std::size_t line,
                                  FamilyShape& shape);

// Returns the shape of an untuned row, whose cells are in the order of Family::untuned_columns.
// Ignores target columns. Returns nullopt if the cells do not fit the family.
std::optional<FamilyShape> ShapeOfUntuned(const Family& family, std::string_view gfx,
                                          std::span<const std::string> cells);

// Returns the sort key (core/row/row.h) of the shape's tuned row on a target. With gfx "" and
// cu_num 0, equal sort keys mean equal shapes.
std::string OrderKeyOf(const Family& family, const FamilyShape& shape, std::string_view gfx,
                       int cu_num);

// A shape to tune or look up.
struct ShapeDemand {
  FamilyShape shape;
  std::int64_t count = 0;  // number of misses; 0: none, or not counted
  std::int64_t m = 0;      // M for families without a column of M; 0: the shape contains M
  std::vector<std::size_t> products = {};  // of a model: its indices into ProductPlan::products
};

// AITER's padded M, gl0. Rounds M up to a multiple of 16 (M <= 256), 32 (M <= 1024), 64 (M <=
// 4096), else 128.
std::int64_t PaddedMGl0(std::int64_t m);
// AITER's padded M, gl1. Returns 8192 if M > 8192 and N > 4096. Otherwise rounds M up to a power of
// two (1 for M <= 1).
std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n);
// Fused MoE's tier for a number of tokens. Below 32768: rounds up to a power of two. From 32768:
// 32768. From 131072: 131072.
std::int64_t TokenTier(std::int64_t token);

// Returns the first that exists: the padded column of M, the metric's column of M, kNoColumn.
std::size_t MColumnOf(const Family& family);

// Returns the M to tune, by the kind of the family's lookup:
// * "padded_m": 1, 2, 4 and 8 stay, because decoding uses them most and gl1 (powers of two) finds
//   them. For any other M: PaddedMGl0.
// * "token_tiers": up to the next tier (TokenTier).
// * otherwise: `m` itself.
// Precondition: m >= 1.
std::int64_t LookupM(const Family& family, std::int64_t m);

// Returns the shape that a tuned table needs so that a lookup of a raw shape finds its row. LookupM
// maps the padded column. Untuned tables and jobs contain mapped shapes. Demand contains raw
// shapes. `cells` are in the order of Family::untuned_columns. A cell that is not a positive
// integer stays unchanged.
std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells);
FamilyShape LookupShape(const Family& family, FamilyShape shape);

}  // namespace tunehub::core
