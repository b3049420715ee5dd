#include "agent/commands/builds/install_site.h"

#include <algorithm>
#include <chrono>
#include <ostream>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command_line.h"
#include "core/base/rfc3339.h"

namespace tunehub::agent {

namespace fs = std::filesystem;

fs::path RootOf(const InstallSite& site) {
  return site.paths.configs.parent_path().parent_path();
}

core::Result<InstallSite> OpenSite(const Configuration& configuration,
                                   const InstallOptions& options, Console& console) {
  auto configs = FindConfigsFolder(configuration.families, options.folder);
  if (!configs.ok()) return configs.error();
  return OpenSiteAt(*configs, options, console);
}

core::Result<InstallSite> OpenSiteAt(const fs::path& configs, const InstallOptions& options,
                                     Console& console) {
  const Installer installer(configs, options.after_step);
  auto lock = installer.Lock();
  if (!lock.ok()) return lock.error();
  auto recovered = installer.Recover(options.force);
  if (!recovered.ok()) return recovered.error();
  if (*recovered) console.err << "tunehub-agent install: took back an interrupted install\n";
  auto installed = installer.Installed();
  if (!installed.ok()) return installed.error();
  return InstallSite{InstallPaths(configs), *std::move(lock), *std::move(installed)};
}

bool ChangedSince(const InstallSite& site, const InstallOptions& options, Console& console) {
  if (!site.installed || options.force) return false;
  const auto changed = Installer(site.paths.configs).Changed(*site.installed);
  for (const std::string& file : changed) {
    console.err << "tunehub-agent install: " << (site.paths.configs / file).string()
                << " was changed since the install; --force gives that up\n";
  }
  return !changed.empty();
}

core::Status Carry(const InstallSite& site, const InstallOptions& options,
                   const std::vector<InstallAction>& actions,
                   const std::map<std::string, std::string>& tables, const ServedState& served) {
  const Installer installer(site.paths.configs, options.after_step);
  if (actions.empty()) return site.installed ? installer.Restore(*site.installed) : core::Ok();
  const InstallJournal journal{options.hub, served, core::UtcText(std::chrono::system_clock::now()),
                               actions};
  // Before the last install is taken back: a full disk must not cost it.
  core::Status status = installer.Stage(journal, tables);
  // The new install starts from the tree as it was: one backup, one way back.
  if (status.ok() && site.installed) status = installer.Restore(*site.installed, true);
  if (status.ok()) status = installer.Apply(journal);
  if (status.ok()) return status;
  // A full disk must not leave half an install behind.
  if (auto recovered = installer.Recover(false); !recovered.ok()) return recovered.error();
  return status;
}

int TakeBack(const InstallSite& site, const InstallOptions& options, Console& console) {
  if (!site.installed) {
    console.out << "nothing is installed in " << site.paths.configs.string() << '\n';
    return kGood;
  }
  if (ChangedSince(site, options, console)) return kFinding;
  const Installer installer(site.paths.configs, options.after_step);
  if (core::Status status = installer.Restore(*site.installed); !status.ok()) {
    return Fail(console, "install", status.error());
  }
  const auto files = std::ranges::count_if(site.installed->actions, [](const auto& action) {
    return action.kind != InstallKind::kMakeFolder;
  });
  console.out << files << " files are as they were\n";
  return kGood;
}

}  // namespace tunehub::agent
