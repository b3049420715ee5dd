// One row of a tuned table: a candidate that somebody timed (or declared) for a shape key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/family/family.h"
#include "core/row/winner.h"

namespace tunehub::core {

// The prefix of tunehub's own kernels.
inline constexpr std::string_view kOwnKernelPrefix = "tk_";

struct Row {
  std::string gfx;
  int cu_num = 0;      // 0: any count, because the family has no such column
  std::string engine;  // the cell of the family's engine column; "": none
  Hash128 key;         // HashOf the shape key's text
  std::string order;   // the sort key (AppendOrderKey)
  Hash128 candidate;   // HashOf the candidate's text
  // All columns in CSV order, canonical, without a line feed. A quarantined row with shifted
  // columns keeps its original text.
  std::string line;
  double us = 0;     // microseconds; NaN: none
  double error = 0;  // fraction of wrong elements; NaN: unknown
  TimeBounds bounds;
  Standing standing = Standing::kMeasured;
  std::string reason;           // why the row has this standing
  std::size_t source_line = 0;  // line in its file, from 1
  bool own_kernel = false;      // names a kernel of tunehub's own catalog
  bool inferred_gfx = false;    // the file had no gfx: derived from the CU count
  bool relative = false;        // Judgement::relative
};

// Sets Row::key and Row::candidate. `cells`: in canonical text.
void Identify(const Family& family, const Cells& cells, Row& row);

// A cell as JSON. Booleans, integers, numbers and flags keep their type. JSON stays unchanged, a
// missing value becomes null, and any other cell becomes a string.
nlohmann::ordered_json CellJson(const Column& column, std::string_view cell);

// An object with every column of the family. Empty optional columns are omitted.
nlohmann::ordered_json RowJson(const Family& family, const Cells& cells);

// `column` is empty if the issue is about the whole row.
struct RowIssue {
  std::size_t line = 0;  // line number in the file, from 1
  std::string column;
  std::string code;
  std::string detail;
};

// Appends the canonical text of the shape key: the family's name, then each key column's name and
// value, length-prefixed. Omits a column whose value is its default for all rows, so that a new
// column does not change existing shape keys. The database stores HashOf(text) as the shape key.
void AppendKeyText(std::string& out, const Family& family, const Cells& cells);

// Appends the row's sort key. The memcmp order of sort keys is the order of served rows. Equal sort
// keys mean equal shape keys.
// * Integers sort by value.
// * Enum columns sort in the family file's order; unlisted values come last, by text.
// * Other cells sort by text; empty cells come first.
// AITER's fused-MoE lookup takes the first matching row, so Silu must sort before Gelu. AITER's
// code generator takes the last matching row, so int8 must sort before fp8.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells);
// Does the same with parsed integers. `integers`: per column, the value of a non-empty integer
// cell.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells,
                    std::span<const std::int64_t> integers);

// Appends the candidate's canonical text: each config column that Identity selects,
// length-prefixed.
void AppendCandidateText(std::string& out, const Family& family, const Cells& cells);

}  // namespace tunehub::core
