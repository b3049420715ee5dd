// An import on its way to the hub, whatever its tables were made of.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "agent/base/command.h"
#include "agent/commands/hub/command_import.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/system/tar.h"

namespace tunehub::agent {

// The hub's receipt of these files. Errors: the hub's own, bad_answer.
core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses);

// Says what the hub took; whether it took all.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

}  // namespace tunehub::agent
