// tunehub-agent install AITER_DIR: the hub's tables where AITER and its code generators look, some
// of which ignore the environment variables.
#pragma once

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "agent/install/install_offer.h"

namespace tunehub::agent {

int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console);
// Needs no hub.
int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console);

int RunInstall(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
