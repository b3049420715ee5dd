// Tuned rows of what the database has of an old revision, or of candidates: lines in the columns of
// the version under which they were stored.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/service/registry/lines.h"
#include "server/service/registry/snapshot.h"
#include "server/store/tables/revision_records.h"

namespace tunehub::service {

// The row of a stored line. A line is canonical in the columns of its version, so where that is
// `family` the cells are read as they stand. Null where it has another number of cells. The caller
// says its key, provider and standing.
std::shared_ptr<TunedRow> RowOfLine(const core::Family& family, const core::Targets& targets,
                                    std::string line, std::string& scratch);

void SortRows(std::vector<std::shared_ptr<const TunedRow>>& rows);

// In the columns and the order of `family`, the version that was in force then; `id` is its number.
// Only lines of another version are typed again. Throws std::runtime_error where one does not fit.
std::vector<std::shared_ptr<const TunedRow>> RowsOfPast(const core::Family& family, std::int16_t id,
                                                        std::vector<store::PastRow> past,
                                                        FamilyVersions& versions,
                                                        const core::Targets& targets);

}  // namespace tunehub::service
