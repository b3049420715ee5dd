// tunehub-server doctor.
#pragma once

#include "core/base/result.h"
#include "server/settings.h"

namespace tunehub::server {

// Says what is wrong with the hub of these settings, or with them. The exit status: 0 nothing is, 1
// something is, 2 it could not be looked at.
int Doctor(const core::Result<Settings>& settings, bool json);

}  // namespace tunehub::server
