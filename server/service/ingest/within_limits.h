// Whether rows are what the writer's key is limited to.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "server/registry/fold.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/write.h"

namespace tunehub::service {

// Garbled rows have no target and are never served. Error key_limited.
core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<registry::StagedRow>& rows);

}  // namespace tunehub::service
