// tunehub-agent install AITER_DIR: the hub's tables where AITER and its code generators look, some
// of which ignore the environment variables.
#pragma once

#include <functional>
#include <string>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/commands/builds/build_sender.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

struct InstallOptions {
  std::string folder;
  std::string hub;         // for the manifest
  std::string gpu_archs;   // "": everything that the hub has
  std::string build;       // the name to send the tree's manifest under; "": the tree's own
  bool any_build = false;  // also rows that the tree cannot run
  bool measured_only = false;
  bool rebuild = false;  // the modules that rows wait for
  bool undo = false;
  bool force = false;  // also where something is lost
  bool all = false;    // list every row that would be lost
  bool json = false;
  RetryPolicy retry;
  std::function<void()> after_step;  // see Installer
};

int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console);
// Needs no hub.
int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console);

int RunInstall(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
