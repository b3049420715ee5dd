// One row of a tuned table: a candidate timed (or declared) on a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/family/family.h"
#include "core/row/standing.h"

namespace tunehub::core {

// What the names of tunehub's own kernels begin with.
inline constexpr std::string_view kOwnKernelPrefix = "tk_";

struct Row {
  std::string gfx;
  int cu_num = 0;      // 0: the family has no such column, any count
  std::string engine;  // whose kernel it is, where the family has a column for it; "": none
  Hash128 key;         // HashOf(key text)
  std::string order;   // the order key
  Hash128 candidate;   // HashOf(candidate text)
  // Every column of the family in CSV order, canonical, without line feed; of a quarantined row
  // whose columns are shifted the text it came as.
  std::string line;
  double us = 0;     // microseconds; NaN: none
  double error = 0;  // share of wrong elements; NaN: none given
  Standing standing = Standing::kMeasured;
  std::string reason;           // of the standing
  std::size_t source_line = 0;  // in the file it came from, from 1
  bool own_kernel = false;      // names a kernel of tunehub's own catalog
  bool inferred_gfx = false;    // the file had none: backfilled from the CU count
  bool relative = false;        // Judgement::relative
};

// Sets Row::key and Row::candidate. `cells` in canonical text.
void Identify(const Family& family, const Cells& cells, Row& row);

// Cells as JSON: integers, numbers and flags as such, JSON as itself, everything else as text,
// nothing as null.
nlohmann::ordered_json CellJson(const Column& column, std::string_view cell);

// Every column of the family, optional ones only where they have a value.
nlohmann::ordered_json RowJson(const Family& family, const Cells& cells);

// `column` is empty where the whole row is meant.
struct RowIssue {
  std::size_t line = 0;  // of the file, from 1
  std::string column;
  std::string code;
  std::string detail;
};

// The three texts of a row's identity. A key is family + target + shape + tag; a candidate is what
// ran.

// The canonical text of the key: the family's name, then every key column as length-prefixed name
// and value; columns at their unconditional default are left out, so that a column that a family
// gains later does not change the keys there were. Its HashOf is the key in the database.
void AppendKeyText(std::string& out, const Family& family, const Cells& cells);

// Bytes whose memcmp order is the order of the served rows: integers as integers, enum columns in
// the order of the family file (values it does not list behind them, by text), everything else by
// text; an empty cell before all. Equal bytes mean equal keys. AITER's fused-MoE lookup takes the
// first row that fits, so Silu stands before Gelu. Its code generator takes the last, so int8
// stands before fp8.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells);
// The same for who has read them already: `integers` by column, of integer cells that are not
// empty.
void AppendOrderKey(std::string& out, const Family& family, const Cells& cells,
                    std::span<const std::int64_t> integers);

// The canonical text of the candidate: config columns by Identity, length-prefixed.
void AppendCandidateText(std::string& out, const Family& family, const Cells& cells);

}  // namespace tunehub::core
