// What a hub answers to a GET, where only 200 will do.
#pragma once

#include <string>

#include "agent/hub/retry.h"

namespace tunehub::agent {

// Errors: those of the client and of the hub.
core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
                                  const Parameters& parameters, const RetryPolicy& retry,
                                  const Pauses& pauses);

}  // namespace tunehub::agent
