// A shape: a lookup's request without the target. Demand and jobs consist of shapes.
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
  std::string_view column;  // or an alias of one
  std::string_view text;
};

// The indices of the family's shape columns, in CSV order.
std::vector<std::size_t> ShapeColumns(const Family& family);

// Checks the names of a shape's columns: unknown_column (no shape column), duplicate_column,
// missing_column. Columns may be missing if they have a default or AITER's untuned file of the
// family lacks them.
std::optional<RowIssue> CheckShapeColumns(const Family& family, std::span<const NamedCell> given,
                                          std::size_t line);

// Fills `shape` from cells in any order. A missing cell gets its default, which may depend on `gfx`
// ("": unknown), or stays empty. Issues: those of CheckShapeColumns, or a code of CanonicalCell,
// with the column and `line`.
std::optional<RowIssue> MakeShape(const Family& family, std::string_view gfx,
                                  std::span<const NamedCell> given, std::size_t line,
                                  FamilyShape& shape);

// The shape of an untuned row, whose cells are in the order of Family::untuned_columns; nullopt:
// they do not fit the family. Ignores target columns.
std::optional<FamilyShape> ShapeOfUntuned(const Family& family, std::string_view gfx,
                                          std::span<const std::string> cells);

// The order key (core/row/row.h) of the shape's tuned row on a target. With gfx "" and cu_num 0,
// equal bytes mean equal shapes.
std::string OrderKeyOf(const Family& family, const FamilyShape& shape, std::string_view gfx,
                       int cu_num);

// A larger CU count is a mistake.
inline constexpr int kMaxCuNum = 4096;

// A shape to tune or look up.
struct ShapeDemand {
  FamilyShape shape;
  std::int64_t count = 0;  // of misses; 0: none, or not counted
  std::int64_t m = 0;      // for families without a column of M; 0: the column has it
};

// M on the gl 0 grid: up to a multiple of 16 (M <= 256), 32 (<= 1024), 64 (<= 4096), else 128.
std::int64_t PaddedMGl0(std::int64_t m);
// M on the gl 1 grid: 8192 where M > 8192 and N > 4096, else the next power of two (1 for M <= 1).
std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n);
// Fused MoE's tier: below 32768 the next power of two; then 32768 and, from 131072 on, 131072.
std::int64_t TokenTier(std::int64_t token);

// The column of M: the padded one, else the metric's; kNoColumn: none.
std::size_t MColumnOf(const Family& family);

// The M to tune, by the kind of the family's lookup:
// * "padded_m": 1, 2, 4 and 8 themselves, since decoding asks for them most and the gl 1 grid
//   (powers of two) finds them; else up to the gl 0 grid;
// * "token_tiers": up to the next tier (TokenTier);
// * else `m` itself.
// Precondition: m >= 1.
std::int64_t LookupM(const Family& family, std::int64_t m);

// The shape that a tuned table needs so that a lookup of a raw shape finds it: the padded column
// mapped by LookupM. Untuned tables and jobs have these shapes, demand has raw ones. `cells` are in
// the order of Family::untuned_columns. A cell that is no positive integer stays.
std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells);
FamilyShape LookupShape(const Family& family, FamilyShape shape);

}  // namespace tunehub::core
