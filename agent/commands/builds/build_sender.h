// A scanned build under its name on the hub.
#pragma once

#include <optional>
#include <string>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// How a command that fetches tables says which build they are for.
struct BuildOptions {
  std::string folder;  // an AITER tree to scan; "": none
  std::string name;    // to send the manifest under; without a folder: one that the hub has
  bool skip = false;   // tables for any build
};

// "aiter-0.1.14", or by commit; "aiter" where the tree says neither.
std::string DefaultBuildName(const core::Manifest& manifest);

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

}  // namespace tunehub::agent
