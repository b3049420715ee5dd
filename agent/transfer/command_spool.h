// tunehub-agent spool list, tunehub-agent spool drop ID...: what waits on this host, and for whom.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/base/command.h"

namespace tunehub::agent {

// Every file of the folder, with its hub, family and table, or what is wrong with it.
int ListSpool(const std::filesystem::path& folder, bool json, Console& console);

// Removes batches by a part of their file's name that no other file has. All or none: errors
// unknown_batch, two_batches, spool_in_use.
int DropBatches(const std::filesystem::path& folder, const std::vector<std::string>& ids,
                Console& console);

int RunSpool(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
