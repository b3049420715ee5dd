// tunehub-agent import --reader vllm DIR: an engine's own files as rows, and what was found in
// them.
#pragma once

#include "agent/base/configuration.h"
#include "agent/transfer/command_import.h"

namespace tunehub::agent {

// `hub` null: the files are read and reported, nothing is sent.
int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);

}  // namespace tunehub::agent
