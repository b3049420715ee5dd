// What the hub's answer says of its rows in a build.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// How a command that fetches tables says which build they are for.
struct BuildOptions {
  std::string folder;  // an AITER tree to scan; "": none
  std::string name;    // to send the manifest under; without a folder: one that the hub has
  bool skip = false;   // tables for any build
};

// PUT /builds/NAME; the answer is NAME@SHA256. `name` "": the default one, and where that is
// another owner's or of a build with more kernels, the default one with digits of the manifest's
// digest. `allow_shrink`: also where the name would be served much less. Errors: those of the hub,
// bad_answer.
core::Result<std::string> SendBuild(HubClient& hub, const RetryPolicy& retry, const Pauses& pauses,
                                    const std::string& name, const core::Manifest& manifest,
                                    bool allow_shrink = false);

// What `build=` shall be: scans and sends the tree where there is one. "" where tables of any build
// will do, as in a tree without a kernel, which is said on console.err after `who`. Fills `scan`
// where a tree was scanned. Errors: those of SendBuild.
core::Result<std::string> PrepareBuild(const Configuration& configuration,
                                       const BuildOptions& options, HubClient& hub,
                                       const RetryPolicy& retry, const Pauses& pauses,
                                       const std::string& who, Console& console,
                                       std::optional<BuildScan>& scan);

// Rows of one family that are not effective, by the module that decides ("-": none is known).
struct ModuleRows {
  std::string family, module, state;
  std::size_t rows = 0;
};

struct BuildReport {
  std::string build;                                 // NAME@SHA256; "": the answer is for no build
  std::array<std::size_t, core::kRowStates> rows{};  // by core::RowState
  std::size_t substituted = 0, unfilled = 0;
  std::vector<ModuleRows> modules;

  std::size_t Of(core::RowState state) const { return rows.at(static_cast<std::size_t>(state)); }
  // Rows that are impossible because the module is none that the tree has.
  std::size_t LackedBy(const std::string& module) const;
};

BuildReport ReadBuildReport(const Answer& answer);

// On console.err, after `who`; nothing where the answer is for no build. `absent` names places.
void PrintBuildReport(const BuildReport& report, const std::vector<AbsentModule>& absent,
                      const std::string& who, Console& console);

// Null where the answer is for no build.
nlohmann::ordered_json ToJson(const BuildReport& report);

}  // namespace tunehub::agent
