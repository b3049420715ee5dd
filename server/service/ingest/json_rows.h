// Rows of a JSON body, as cells that nobody has typed yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::service {

// Rows that one batch may hold: 100,000 of the widest family are 45 MiB.
inline constexpr std::size_t kMaxRows = 100'000;

// What a row says of itself.
struct RowMarks {
  bool is_default = false;  // it is what runs where nobody has tuned
  bool searched = false;    // measured in a search over the candidates of its key
};

struct JsonRow {
  std::vector<std::string> cells;  // by the family's column; "" where the row does not say
  std::string evidence;            // JSON, as evidence.h has it; "" where there is none
  RowMarks marks;
};

struct JsonRows {
  std::vector<JsonRow> rows;
  std::vector<bool> given;  // by column: some row has it
};

// {"rows": [{"gfx": "gfx942", "M": 16, ..., "us": 7.1, "samples": [7.1, 7.2], "timing": "kernel",
// "status": "ok", "reason": "", "is_default": true, "searched": true}, ...]}, or the array alone.
// A column of type json takes an object, or its text. Read by SAX: a document tree of 100,000
// objects costs as much as the database's part. Errors: bad_json, bad_evidence, unknown_column,
// each with the row's place in the array, from 1; too_many_rows.
core::Result<JsonRows> ReadJsonRows(const core::Family& family, std::string_view body);

}  // namespace tunehub::service
