// The run that a batch makes for itself.
#pragma once

#include <optional>
#include <string>

#include "server/service/registry/write.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::service {

// A run that nobody described.
store::RunContent UnknownProvenance();

// Its content is its request: two of them are never one run.
core::Hash128 HashOfRequest(const WriteRequest& write);

// A run of its own for each import, also where two say the same of themselves (`about`).
store::RunContent RunOfImport(const std::string& source, const WriteRequest& write,
                              const std::optional<store::RunContent>& about);

}  // namespace tunehub::service
