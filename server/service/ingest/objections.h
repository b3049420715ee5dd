// What a batch says against candidates that earlier runs measured: in words, and what follows from
// it.
#pragma once

#include <vector>

#include "server/registry/fold.h"
#include "server/service/ingest/receipt.h"
#include "server/service/registry/definitions.h"
#include "server/store/ingest/batch.h"

namespace tunehub::service {

// Adds to the reports, one per file, which rows withdraw a candidate, and which put one in doubt.
// `rows`: those of the batch.
void DescribeObjections(const store::BatchOutcome& outcome,
                        const std::vector<registry::StagedRow>& rows,
                        std::vector<FileReport>& reports);

// The jobs that measure the shapes of `rows`, all of one target, again. A family without a time is
// left out: nobody measures it.
std::vector<store::JobContent> JobsToMeasureAgain(
    const Definitions& definitions, const std::vector<const registry::StagedRow*>& rows,
    const std::vector<store::JobContent>& open);

}  // namespace tunehub::service
