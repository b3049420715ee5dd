// An import on its way to the hub, whatever its tables were made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/commands/hub/command_import.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/system/tar.h"

namespace tunehub::agent {

// The longest report of what was found in an import's files that the hub keeps.
inline constexpr std::size_t kMaxReportBytes = 1024 * 1024;

// The hub's receipt where it has what the import is made from, and has noted the import. `digest`:
// of MadeFrom; "": nothing is asked. `run`: the JSON of POST /runs, or "". Errors: the hub's own,
// bad_answer.
core::Result<std::optional<nlohmann::json>> AskImport(const ImportOptions& options,
                                                      const std::string& digest,
                                                      const std::string& run, HubClient& hub,
                                                      const Pauses& pauses);

// The hub's receipt of these files, under a digest that it keeps, or "". Errors: the hub's own,
// bad_answer.
core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files,
                                        const std::string& digest, HubClient& hub,
                                        const Pauses& pauses);

// Says what the hub took; whether it took all.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

}  // namespace tunehub::agent
