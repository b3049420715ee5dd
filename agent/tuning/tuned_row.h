// One tuned row, taken apart: of the hub's table or of a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/tuning/device/candidate.h"
#include "agent/tuning/device/measurement.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent::tuning {

struct TunedRow {
  core::Target target;
  Columns shape, candidate;
  double us = 0;
  std::string line;   // every column of the family, as the table has it
  std::string order;  // of the rows of a table
};

// The rows of a tuned table that name a time that can be believed. Errors: those of
// core::ReadTunedTable.
core::Result<std::vector<TunedRow>> ReadTunedRows(const core::Family& family,
                                                  const core::Targets& targets,
                                                  std::string_view csv);

// The cells of a measurement as one row of the family's table: us, error, tflops and bandwidth by
// its median. Integer columns of the config that the candidate does not give are -1 where they are
// ids and 0 else. Precondition: timed.
std::string LineOf(const core::Family& family, const core::Target& target, const Columns& shape,
                   const Measurement& measurement);

// The same of many as the body of POST /results: every measurement with samples, status, reason,
// the times hot and cold where they were taken, and how it was timed: "wall" on a CPU, "graph" (of
// launches, between two events) on a GPU. Failed ones have the time -1, wrong ones none. `fallback`
// is marked as what runs where nobody has tuned, and all as of a search where they are of one.
std::string ResultsBody(const core::Family& family, const core::Target& target,
                        const Columns& shape, const std::vector<Measurement>& measurements,
                        const Columns& fallback, bool searched);

}  // namespace tunehub::agent::tuning
