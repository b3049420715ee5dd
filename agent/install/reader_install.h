// tunehub-agent install --reader: the hub's files where an engine keeps its own, for those that no
// variable can name.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "agent/install/install_offer.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
