// A shape: what was asked for, apart from where it runs (the target) and from what runs it (the
// candidate). Demand and jobs are made of shapes.
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
  // One canonical text per column of the family, in its order; empty outside its shape columns.
  std::vector<std::string> cells;

  bool operator==(const FamilyShape&) const = default;
};

struct NamedCell {
  std::string_view column;  // or an alias of one
  std::string_view text;
};

// The indices of the family's shape columns, in CSV order.
std::vector<std::size_t> ShapeColumns(const Family& family);

// What is wrong with the names of a shape's columns: unknown_column (not a shape column),
// duplicate_column, missing_column. Those with a default may be missing, and so may those that
// AITER's untuned file of the family lacks.
std::optional<RowIssue> CheckShapeColumns(const Family& family, std::span<const NamedCell> given,
                                          std::size_t line);

// Fills `shape` from cells in any order; a missing cell gets its default (`gfx` chooses where it
// depends on it; "" where unknown) or stays empty. Answers what is wrong: CheckShapeColumns, or a
// code of CanonicalCell, with the column and `line`.
std::optional<RowIssue> MakeShape(const Family& family, std::string_view gfx,
                                  std::span<const NamedCell> given, std::size_t line,
                                  FamilyShape& shape);

// Of the cells of an untuned row, in the order of Family::untuned_columns; nothing where they are
// none of the family's. Target columns are passed over.
std::optional<FamilyShape> ShapeOfUntuned(const Family& family, std::string_view gfx,
                                          std::span<const std::string> cells);

// The order key (core/row/row.h) of the tuned row that the shape has on a target. gfx "" and cu_num
// 0 stand for none: then equal bytes mean equal shapes.
std::string OrderKeyOf(const Family& family, const FamilyShape& shape, std::string_view gfx,
                       int cu_num);

// The largest CU count there is; more is a mistake.
inline constexpr int kMaxCuNum = 4096;

// A shape that was missed, or that is asked for although nobody has missed it.
struct ShapeDemand {
  FamilyShape shape;
  std::int64_t count = 0;  // how often it was missed; 0: nobody counted
  std::int64_t m = 0;      // that it stands for, where no column says so; 0: the column does
};

// gl 0: up to a multiple of 16 (M <= 256), 32 (<= 1024), 64 (<= 4096), else 128.
std::int64_t PaddedMGl0(std::int64_t m);
// gl 1: 8192 where M > 8192 and N > 4096, else the next power of two (1 for M <= 1).
std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n);
// fmoe: the next power of two below 32768; then 32768 and, from 131072 on, 131072.
std::int64_t TokenTier(std::int64_t token);

// The shape that a tuned table must have for a lookup of a raw shape to find it: what untuned
// tables and jobs ask for, while demand keeps the raw shape.

// The column that holds M: what is padded, or what the metric says; kNoColumn: there is none.
std::size_t MColumnOf(const Family& family);

// By the family's Lookup: "padded_m": 1, 2, 4 and 8 stay, because the gl 1 grid (powers of two)
// finds them and decoding asks for nothing else so often; all others go up to the gl 0 grid.
// "token_tiers": up to the next tier (TokenTier). Otherwise `m` itself. m >= 1.
std::int64_t LookupM(const Family& family, std::int64_t m);

// `cells` in the order of Family::untuned_columns: the same with the family's padded column mapped
// by LookupM. A cell that is no positive integer stays as it is.
std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells);
FamilyShape LookupShape(const Family& family, FamilyShape shape);

}  // namespace tunehub::core
