// `install --rebuild`: the modules that the hub's rows wait for, built again from these rows.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/install/install_plan.h"
#include "agent/install/module_builder.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// The build that a tree would be if every module of it were built again. Errors: not_buildable (the
// tree has libraries and no candidate lists).
core::Result<core::Manifest> BuiltAgain(const core::Manifest& manifest);

struct InstallRebuild {
  core::Manifest
      manifest;  // of the tree once PutInPlace is done: its rows need nothing that failed
  std::optional<ModuleBuilder> builder = {};  // nothing: no row waits
  std::vector<BuiltModule> modules = {};

  bool complete() const { return std::ranges::all_of(modules, &BuiltModule::built); }
  // Errors: file_unwritable.
  core::Status PutInPlace() const;
};

// Builds each module that a row of `tables`, those for BuiltAgain(manifest), waits for, one after
// the other: the tree is not changed yet. Errors: bad_bundle, those of ModuleBuilder::Open.
core::Result<InstallRebuild> RebuildModules(const Configuration& configuration,
                                            const core::Manifest& manifest,
                                            const std::filesystem::path& root,
                                            const std::map<std::string, std::string>& tables,
                                            const InstallPlan& plan, const std::string& gpu_archs);

}  // namespace tunehub::agent
