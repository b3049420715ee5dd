#include "agent/aiter/install/install_rebuild.h"

#include <algorithm>

#include "agent/aiter/install/stale_modules.h"

namespace tunehub::agent {
namespace {

core::Status SetTables(const Configuration& configuration, const InstallPlan& plan,
                       const std::map<std::string, std::string>& tables, ModuleBuilder& builder) {
  for (const InstallAction& action : plan.actions) {
    if (action.kind != InstallKind::kMoveAside) continue;
    if (auto status = builder.LeaveOut(action.file); !status.ok()) return status;
  }
  for (const auto& family : configuration.families.all()) {
    const auto table = tables.find(family->file);
    if (table == tables.end()) continue;
    const auto status = builder.SetTable(family->file, family->env, table->second);
    if (!status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace

core::Result<core::Manifest> BuiltAgain(const core::Manifest& manifest) {
  if (manifest.kind() == core::BuildKind::kCompiled) {
    return core::Error{"not_buildable",
                       "--rebuild: the tree has libraries and no candidate lists (csrc/), so "
                       "nothing of it can be built again"};
  }
  if (manifest.kind() == core::BuildKind::kBuildable) return manifest;
  return manifest.WithoutBuilt(BuiltNames(manifest));
}

core::Result<InstallRebuild> InstallRebuild::Run(const Configuration& configuration,
                                                 const core::Manifest& manifest,
                                                 const std::filesystem::path& root,
                                                 const std::map<std::string, std::string>& tables,
                                                 const InstallPlan& plan,
                                                 const std::string& gpu_archs) {
  InstallRebuild rebuild(manifest);
  if (manifest.kind() != core::BuildKind::kTree) return rebuild;  // built at the first call
  const auto stale = FindStale(configuration, manifest, tables, gpu_archs, RebuildsAll());
  if (!stale.ok()) return stale.error();
  if (stale->names.empty()) return rebuild;
  auto builder = ModuleBuilder::Open({.root = root, .gpu_archs = gpu_archs, .log = {}});
  if (!builder.ok()) return builder.error();
  rebuild.builder_ = *std::move(builder);
  const auto status = SetTables(configuration, plan, tables, *rebuild.builder_);
  if (!status.ok()) return status.error();
  std::set<std::string> built;
  for (const auto& [library, name] : stale->names) {
    rebuild.modules_.push_back(rebuild.builder_->Build(library, [] { return false; }));
    if (rebuild.modules_.back().built) built.insert(name);
  }
  rebuild.manifest_ = manifest.WithoutBuilt(built);
  return rebuild;
}

bool InstallRebuild::complete() const {
  return std::ranges::all_of(modules_, &BuiltModule::built);
}

std::filesystem::path InstallRebuild::log() const {
  return builder_ ? builder_->log() : std::filesystem::path();
}

core::Status InstallRebuild::PutInPlace() const {
  for (const BuiltModule& module : modules_) {
    if (!module.built) continue;
    if (auto status = builder_->PutInPlace(module.library, true); !status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace tunehub::agent
