// What a build would no longer be served where another manifest takes the place of its newest.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

// Of the rows of each table that `before` runs, `after` must run nine in ten, or a scan of half a
// tree, or of another one, untunes whoever asks for the name. Error would_shrink, with the counts.
core::Status CheckBuildShrinkage(const Definitions& definitions, const SnapshotSet& set,
                                 const std::string& name, const core::Manifest& before,
                                 const core::Manifest& after);

}  // namespace tunehub::service
