// tunehub-agent import DIR: the tuned tables of an AITER tree, as one import of one source, or with
// --reader an engine's own files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/base/archive.h"
#include "core/family/families.h"

namespace tunehub::agent {

struct ImportOptions {
  std::string folder;
  std::string source;  // supersedes the previous import of the same name; "": the usual
  std::string reader;  // whose files; "": AITER's CSVs
  std::string device;  // whose files these are, where nothing in them says it
  std::vector<std::string> new_run;  // NAME=VALUE, of a reader's files
  bool dry_run = false;
  bool allow_shrink = false;  // also where much of the source would go
  bool all = false;
  bool json = false;
  RetryPolicy retry;
};

int Import(const core::Families& families, const ImportOptions& options, HubClient& hub,
           const Pauses& pauses, Console& console);

int RunImport(int argc, char** argv, Console& console);

// The hub's receipt of these files. Errors: the hub's own, bad_answer.
core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses);

// Says what the hub took; whether it took all.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

}  // namespace tunehub::agent
