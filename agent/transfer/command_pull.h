// tunehub-agent pull: one merged table into a file, or a reader's files into a folder; pinned by a
// lock file where one is named.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "agent/install/build_report.h"
#include "core/readers/tunable_file.h"

namespace tunehub::agent {

struct PullOptions {
  std::string hub;     // for the lock file
  std::string family;  // or
  std::string reader;
  std::string device;  // of a reader's files; "": all
  std::string gfx;
  std::vector<std::string> query;  // name=value: what else GET /tuned/{family} takes
  std::string output;              // the file, or the folder
  std::string lock;                // "": none
  bool update_lock = false;
  BuildOptions build;
  bool force = false;  // replace a folder that holds something else
  // Of TunableOp's results: what PYTORCH_TUNABLEOP_FILENAME shall say, and for how many GPUs.
  std::string file_name{core::kTunableFileName};
  int gpus = core::kTunableDevices;
  bool json = false;
  RetryPolicy retry;
};

// `configuration` is asked for where a tree is to be scanned, and for a reader.
int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration);

int RunPull(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
