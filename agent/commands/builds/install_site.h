// The place of an install: a tree's aiter/configs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/aiter/install/install_plan.h"
#include "agent/aiter/install/installer.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/commands/builds/install_options.h"

namespace tunehub::agent {

// The configs folder, locked, without anything that an interrupted install left.
struct InstallSite {
  InstallPaths paths;
  core::Fd lock;
  std::optional<InstallJournal> installed;
};

std::filesystem::path RootOf(const InstallSite& site);

// Says so where an interrupted install was taken back. Errors: those of FindConfigsFolder and of
// Installer.
core::Result<InstallSite> OpenSite(const Configuration& configuration,
                                   const InstallOptions& options, Console& console);

// The same of a configs folder that is known.
core::Result<InstallSite> OpenSiteAt(const std::filesystem::path& configs,
                                     const InstallOptions& options, Console& console);

// Names the files that somebody changed since the install; true where that forbids to go on.
bool ChangedSince(const InstallSite& site, const InstallOptions& options, Console& console);

// Puts the tables there, or leaves the tree as it was. Errors: those of Installer.
core::Status Carry(const InstallSite& site, const InstallOptions& options,
                   const std::vector<InstallAction>& actions,
                   const std::map<std::string, std::string>& tables, const ServedState& served);

// Every file as it was before the install, or why not; the exit code.
int TakeBack(const InstallSite& site, const InstallOptions& options, Console& console);

}  // namespace tunehub::agent
