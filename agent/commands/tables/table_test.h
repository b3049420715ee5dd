// What AITER's own test of its tables (op_tests/tuning_tests/test_csv_validation.py) fails on,
// beyond what makes a table unfit to be read: times that are not above 0, and rows that are
// duplicates to it because its key leaves the gfx out.
#pragma once

#include <string>
#include <vector>

#include "agent/base/remark.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// Of the rows of one file. Errors above a limit, conflict markers and rows that cannot be read are
// not among them: `check` fails on those in any case.
void AddTestFailures(const core::Family& family, const std::string& file,
                     const core::TunedTable& table, std::vector<Remark>& failures);

}  // namespace tunehub::agent
