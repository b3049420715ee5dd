// tunehub-agent push [FILE...]: through the spool to the hub. Without a file: what waits there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/family/families.h"

namespace tunehub::agent {

struct PushOptions {
  std::vector<std::string> files;
  std::string family;                // "": what each file says
  std::string run_id;                // of a run that the hub knows
  std::vector<std::string> new_run;  // name=value; empty: none
  std::string spool;                 // "": the default folder
  std::string hub;                   // HubIdentity; "": none
  std::string from;                  // send what waits for this address, or `none`; "": for `hub`
  bool spool_only = false;
  bool dry_run = false;
  bool atomic = false;
  bool all = false;  // list every row
  bool json = false;
  RetryPolicy retry;
};

// `connect` is asked for a hub only where there is something to send.
using Connector = std::function<core::Result<std::unique_ptr<HubClient>>()>;

int Push(const core::Families& families, const PushOptions& options, const Connector& connect,
         const Pauses& pauses, Console& console);

int RunPush(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
