// AITER's untuned tables: shapes to tune, without times or kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/shape.h"

namespace tunehub::core {

// The limit of a row's count. A larger count comes from an overflowed counter.
inline constexpr std::int64_t kMaxRowCount = 1'000'000'000;

struct UntunedRow {
  FamilyShape shape;
  Target target;
  std::int64_t count = 1;  // how often lookups missed the shape
};

struct UntunedTable {
  std::vector<UntunedRow> rows;  // in the file's order
  std::vector<RowIssue> rejected;
};

// How to treat columns that are not part of the shape.
enum class OtherColumns {
  kRefuse,
  kPassOver,  // ignores them, to read a tuned table as shapes; names match in any case ("m,n,k")
};

// Reads the family's shape columns in any order, and gfx, cu_num and count if present. A row
// without a target gets `target`. These errors refuse the whole file: those of CheckTableText and
// CsvReader, empty_table, unknown_column, duplicate_column, missing_column, too_many_rows.
Result<UntunedTable> ReadUntunedTable(const Family& family, std::string_view csv,
                                      const Target& target, std::size_t max_rows,
                                      OtherColumns others = OtherColumns::kRefuse);

// Parses an integer within 1..kMaxRowCount. Errors: out_of_range.
Result<std::int64_t> ParseCount(std::string_view text);
// Parses gfx ("": any) and cu_num ("" and "0": any). Errors: bad_gfx, out_of_range.
Result<Target> ParseDemandTarget(std::string_view gfx, std::string_view cu_num);

// Writes the table as AITER's tune scripts read it: the family's untuned header, LF.
std::string WriteUntunedTable(const Family& family, const Target& target,
                              std::span<const FamilyShape> shapes);

}  // namespace tunehub::core
