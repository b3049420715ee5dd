// install and manifest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/install/install_offer.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

// tunehub-agent install AITER_DIR: the hub's tables where AITER and its code generators look, some
// of which ignore the environment variables.
int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console);
// Needs no hub.
int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console);
int RunInstall(int argc, char** argv, Console& console);

// tunehub-agent install --reader: the hub's files where an engine keeps its own, for those that no
// variable can name.
// `hub`: null where options.tree names a file. A member of the engine's file that the hub's lacks
// is a loss, which --force accepts; files that the hub does not have stay.
int InstallReader(const core::Reader& reader, const InstallOptions& options, HubClient* hub,
                  const Pauses& pauses, Console& console);

// The reader's store that is meant: options.family's, else the one that no variable names. Errors:
// unknown_reader, bad_options.
core::Result<const core::ReaderStore*> StoreToInstall(const core::Readers& readers,
                                                      const InstallOptions& options);

// `packages`: the folders below options.folder that the reader's files may lie in.
int UndoReaderInstall(const InstallOptions& options, const std::vector<std::string>& packages,
                      Console& console);

// tunehub-agent manifest AITER_DIR: what that build of AITER can run.
struct ManifestOptions {
  ScanOptions scan;
  std::string output;              // "": standard output, unless it is sent
  std::optional<std::string> put;  // send it to the hub under this name; "": the tree's own
  bool allow_shrink = false;
  bool json = false;
  RetryPolicy retry;
};

// `hub`: null where nothing is sent. 1 where something could not be read.
int MakeManifest(const Configuration& configuration, const ManifestOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);
int RunManifest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
