#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "agent/base/configuration.h"
#include "agent/install/module_builder.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

struct StaleModules {
  // name in manifests by AITER's name: "module_gemm_a8w8" -> "gemm_a8w8"
  std::map<std::string, std::string> names;
  std::map<std::string, std::size_t> rows;  // number of rows that need a build, by library
};

std::set<std::string> BuiltArchs(const core::Manifest& manifest) {
  std::set<std::string> archs;
  for (const core::ManifestKernel& kernel : manifest.kernels()) {
    if (kernel.built && !kernel.gfx.empty()) archs.insert(kernel.gfx);
  }
  return archs;
}

// Returns the module that a row needs; null: none.
const core::Module* Awaited(const core::Family& family, const core::Manifest& manifest,
                            const core::Cells& cells, bool all) {
  const core::RowVerdict verdict = core::BuildFit(family, manifest).Judge(cells);
  if (verdict.state == core::RowState::kImpossible) return nullptr;
  if (verdict.state != core::RowState::kEffective) return verdict.module;
  if (!all) return nullptr;
  for (const std::size_t column : family.kernel_columns) {
    const core::Module* const module = core::ModuleOf(family, cells, cells[column]);
    const bool compiled = module != nullptr && module->dispatch != core::Dispatch::kDirect;
    if (compiled && manifest.IsBuilt(module->name)) return module;
  }
  return nullptr;
}

// Names of the built modules.
std::set<std::string> BuiltNames(const core::Manifest& manifest) {
  std::set<std::string> names;
  for (const core::ManifestKernel& kernel : manifest.kernels()) {
    if (kernel.built) names.insert(kernel.module);
  }
  return names;
}

// `tables`: by file name in aiter/configs. Rows of architectures without built kernels need no
// module, unless `gpu_archs` names the architecture. With `all`, every built module with a row's
// kernel is stale. Errors: bad_bundle (a table of no family, or not of its family).
core::Result<StaleModules> FindStale(const Configuration& configuration,
                                     const core::Manifest& manifest,
                                     const std::map<std::string, std::string>& tables,
                                     std::string_view gpu_archs, bool all) {
  const std::set<std::string> archs =
      gpu_archs.empty() ? BuiltArchs(manifest) : std::set<std::string>();
  const auto& all_families = configuration.families.all();
  StaleModules stale;
  std::string scratch;
  for (const auto& [file, bytes] : tables) {
    const auto found =
        std::ranges::find_if(all_families, [&](const auto& it) { return it->file == file; });
    if (found == all_families.end()) {
      return core::Error{"bad_bundle", file + ": no family describes this table"};
    }
    const core::Family* const family = found->get();
    const auto table = core::ReadTunedTable(*family, configuration.targets, bytes,
                                            {.error_limit = std::nullopt, .warnings = false});
    if (!table.ok()) return core::Error{"bad_bundle", file + ": " + table.error().detail};
    for (const core::Row& row : table->rows) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      if (!archs.empty() && !archs.contains(std::string(core::GfxOf(*family, cells)))) continue;
      const core::Module* const module = Awaited(*family, manifest, cells, all);
      if (module == nullptr) continue;
      stale.names[module->library] = module->name;
      ++stale.rows[module->library];
    }
  }
  return stale;
}

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
                       "--rebuild: the tree has libraries but no candidate lists (csrc/), so "
                       "its modules cannot be rebuilt"};
  }
  if (manifest.kind() == core::BuildKind::kBuildable) return manifest;
  return manifest.WithoutBuilt(BuiltNames(manifest));
}

core::Result<InstallRebuild> RebuildModules(const Configuration& configuration,
                                            const core::Manifest& manifest,
                                            const std::filesystem::path& root,
                                            const std::map<std::string, std::string>& tables,
                                            const InstallPlan& plan, const std::string& gpu_archs) {
  InstallRebuild rebuild{manifest};
  if (manifest.kind() != core::BuildKind::kTree) return rebuild;  // AITER builds at the first call
  const auto stale = FindStale(configuration, manifest, tables, gpu_archs, RebuildsAll());
  if (!stale.ok()) return stale.error();
  if (stale->names.empty()) return rebuild;
  auto builder = ModuleBuilder::Open({.root = root, .gpu_archs = gpu_archs, .log = {}});
  if (!builder.ok()) return builder.error();
  rebuild.builder = *std::move(builder);
  const auto status = SetTables(configuration, plan, tables, *rebuild.builder);
  if (!status.ok()) return status.error();
  std::set<std::string> built;
  for (const auto& [library, name] : stale->names) {
    rebuild.modules.push_back(rebuild.builder->Build(library, [] { return false; }));
    if (rebuild.modules.back().built) built.insert(name);
  }
  rebuild.manifest = manifest.WithoutBuilt(built);
  return rebuild;
}

core::Status InstallRebuild::PutInPlace() const {
  for (const BuiltModule& module : modules) {
    if (!module.built) continue;
    if (auto status = builder->PutInPlace(module.library, true); !status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace tunehub::agent
