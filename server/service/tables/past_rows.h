// Rows that no snapshot holds: those of an old revision, and those that a filter chose among the
// candidates.
#pragma once

#include <functional>
#include <vector>

#include "server/service/registry/lines.h"
#include "server/service/tables/table_bytes.h"
#include "server/store/analysis/measurement_records.h"
#include "server/store/tables/revision_records.h"

namespace tunehub::service {

// In the columns and the order of `family`, the version that was in force then; `id` is its number.
// The answer refers to `family`. Only lines of another version are typed again. Throws
// std::runtime_error where one does not fit.
RowSet PastRows(const core::Family& family, std::int16_t id, std::vector<store::PastRow> past,
                FamilyVersions& versions, const core::Targets& targets);

// Of each key and provider the best candidate whose cells are `allowed`.
RowSet ChosenRows(const core::Family& family, std::int16_t id,
                  std::vector<store::CandidateRecord> candidates,
                  const std::function<bool(const core::Cells&)>& allowed, FamilyVersions& versions,
                  const core::Targets& targets);

}  // namespace tunehub::service
