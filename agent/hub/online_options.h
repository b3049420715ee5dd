// The options that every command that talks to a hub has.
#pragma once

#include <memory>
#include <string>

#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/cli/command_line.h"

namespace tunehub::agent {

struct OnlineOptions {
  std::string hub, key, ca_file;
  unsigned request_timeout_s = kRequestTimeout.count();
  RetryPolicy retry;
};

// --hub (TUNEHUB_HUB), --key (TUNEHUB_KEY), --ca (TUNEHUB_CA), --tries, --request-timeout.
void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options);
// Of a command that may do without a hub: whether it asks one. TUNEHUB_HUB counts as --hub does,
// unless the command line names files in the hub's place.
bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files);

// Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

}  // namespace tunehub::agent
