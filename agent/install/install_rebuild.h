// `install --rebuild`: the modules that the hub's rows wait for, built again from these rows.
#pragma once

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

class InstallRebuild {
 public:
  // Builds each module that a row of `tables`, those for BuiltAgain(manifest), waits for, one after
  // the other: the tree is not changed yet. Errors: bad_bundle, those of ModuleBuilder::Open.
  static core::Result<InstallRebuild> Run(const Configuration& configuration,
                                          const core::Manifest& manifest,
                                          const std::filesystem::path& root,
                                          const std::map<std::string, std::string>& tables,
                                          const InstallPlan& plan, const std::string& gpu_archs);

  // Nothing was built.
  explicit InstallRebuild(core::Manifest manifest) : manifest_(std::move(manifest)) {}

  // What the tree is once PutInPlace is done: rows for this build need nothing that failed.
  const core::Manifest& manifest() const { return manifest_; }
  const std::vector<BuiltModule>& modules() const { return modules_; }
  bool complete() const;  // nothing failed
  std::filesystem::path log() const;

  // Errors: file_unwritable.
  core::Status PutInPlace() const;

 private:
  core::Manifest manifest_;
  std::optional<ModuleBuilder> builder_;  // nothing: no row waits
  std::vector<BuiltModule> modules_;
};

}  // namespace tunehub::agent
