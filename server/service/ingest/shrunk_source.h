// The refusal of an import that would withdraw much of its source.
#pragma once

#include <string>

#include "core/family/families.h"
#include "server/service/registry/write.h"
#include "server/store/ingest/batch.h"

namespace tunehub::service {

// Error would_shrink, with the counts and the first keys that would go.
WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const store::Shrinkage& shrinkage);

}  // namespace tunehub::service
