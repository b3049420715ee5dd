// tunehub-agent manifest AITER_DIR: what that build of AITER can run.
#pragma once

#include <optional>
#include <string>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

struct ManifestOptions {
  ScanOptions scan;
  std::string output;              // "": standard output, unless it is sent
  std::optional<std::string> put;  // send it to the hub under this name; "": the tree's own
  bool allow_shrink = false;
  bool json = false;
  RetryPolicy retry;
};

// `hub`: null where nothing is sent. 1 where something could not be read.
int MakeManifest(const Configuration& configuration, const ManifestOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);

int RunManifest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
