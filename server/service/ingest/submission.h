// A body of results, CSV or JSON, as rows of one family.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"
#include "server/service/ingest/json_rows.h"

namespace tunehub::service {

struct Submission {
  core::TunedTable table;
  // Beside table.rows: JSON with samples, timing, status, reason, us_hot, us_cold; "" where there
  // is none.
  std::vector<std::string> evidence;
  std::vector<RowMarks> marks;  // beside table.rows; CSV has none
};

// CSV as AITER writes it. Errors: those of core::ReadTunedTable.
core::Result<Submission> ReadCsvSubmission(const core::Family& family, const core::Targets& targets,
                                           std::string_view body, double error_limit);

// As json_rows.h has it. Errors: those of ReadJsonRows, and of core::ReadTunedTable empty_table,
// missing_column and csv_field_too_long. A row's line is its place in the
// array, from 1.
core::Result<Submission> ReadJsonSubmission(const core::Family& family,
                                            const core::Targets& targets, std::string_view body,
                                            double error_limit);

}  // namespace tunehub::service
