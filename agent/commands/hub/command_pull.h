// tunehub-agent pull --family F -o FILE: one merged table, pinned by a lock file where one is
// named.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/commands/builds/build_sender.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

struct PullOptions {
  std::string hub;  // for the lock file
  std::string family;
  std::string gfx;
  std::vector<std::string> query;  // name=value: what else GET /tuned/{family} takes
  std::string output;
  std::string lock;  // "": none
  bool update_lock = false;
  BuildOptions build;
  bool json = false;
  RetryPolicy retry;
};

// `configuration` is asked for where a tree is to be scanned.
int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration = {});

int RunPull(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
