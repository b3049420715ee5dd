// Whether a process that works on a GPU is one of ours.
#pragma once

#include <filesystem>

#include "agent/daemon/probe.h"

namespace tunehub::agent::daemon {

// The agent, its worker, or a child or grandchild of theirs, by `root`/proc.
bool IsOurs(const std::filesystem::path& root, pid_t pid, const OwnWork& own);

}  // namespace tunehub::agent::daemon
