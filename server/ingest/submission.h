// Reads a body of results, CSV or JSON, as rows of one family.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"

namespace tunehub::server {

// The most rows in one batch. 100,000 rows of the widest family are 45 MiB.
inline constexpr std::size_t kMaxRows = 100'000;

struct RowMarks {
  bool is_default = false;  // the default candidate
  bool searched = false;    // measured in a search over the candidates of its shape key
};

// A row of a JSON body as untyped cells.
struct JsonRow {
  std::vector<std::string> cells;  // by the family's columns; "": absent
  std::string evidence;            // JSON, see evidence_rules.h; "": none
  RowMarks marks;
};

struct JsonRows {
  std::vector<JsonRow> rows;
  std::vector<bool> given;  // by column: true if at least one row has the column
};

// {"rows": [{"gfx": "gfx942", "M": 16, ..., "us": 7.1, "samples": [7.1, 7.2], "timing": "kernel",
// "status": "ok", "reason": "", "is_default": true, "searched": true}, ...]}, or only the array. A
// cell of type json is an object, or the object's text. The reader uses SAX, because building a
// document tree of 100,000 objects takes as long as the database's work. Errors with the row's
// index in the array, from 1: bad_json, bad_evidence, unknown_column. Errors without an index:
// too_many_rows.
core::Result<JsonRows> ReadJsonRows(const core::Family& family, std::string_view body);

struct Submission {
  core::TunedTable table;
  // One text per row of `table`: JSON with samples, timing, status, reason, us_hot, us_cold; "":
  // none. (A CSV has neither evidence nor marks.)
  std::vector<std::string> evidence;
  std::vector<RowMarks> marks;
};

// Reads CSV as AITER writes it. Errors: those of core::ReadTunedTable.
core::Result<Submission> ReadCsvSubmission(const core::Family& family, const core::Targets& targets,
                                           std::string_view body, double error_limit);

// Reads the format of ReadJsonRows. Errors: those of ReadJsonRows, and core::ReadTunedTable's
// empty_table, missing_column and csv_field_too_long. A row's line number is its index in the
// array, from 1.
core::Result<Submission> ReadJsonSubmission(const core::Family& family,
                                            const core::Targets& targets, std::string_view body,
                                            double error_limit);

}  // namespace tunehub::server
