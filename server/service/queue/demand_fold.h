// What was read of demand, as rows of the database: one per family, target and shape.
#pragma once

#include <vector>

#include "core/table/untuned_table.h"
#include "server/store/queue/queue_records.h"

namespace tunehub::service {

// `id`: the family's number in the database. Counts of one shape and target are added; in the order
// of their hashes.
std::vector<store::DemandRow> FoldDemand(const core::Family& family, std::int16_t id,
                                         const std::vector<core::UntunedRow>& rows);

}  // namespace tunehub::service
