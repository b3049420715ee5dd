// The options that every command that talks to a hub has.
#pragma once

#include <memory>
#include <string>

#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/cli/command_line.h"

namespace tunehub::agent {

struct OnlineOptions {
  std::string hub, key;
  unsigned timeout_s = 0;
  RetryPolicy retry;
};

// --hub (TUNEHUB_HUB), --key (TUNEHUB_KEY), --tries.
void AddHubOptions(cli::CommandLine& line, OnlineOptions& options);
// The same and --timeout, of one request.
void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options);

// Errors: bad_hub.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

}  // namespace tunehub::agent
