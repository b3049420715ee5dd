#include "agent/aiter/install/stale_modules.h"

#include "core/builds/build_fit.h"
#include "core/row/row_target.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

const core::Family* FamilyOfFile(const core::Families& families, const std::string& file) {
  for (const auto& family : families.all()) {
    if (family->file == file) return family.get();
  }
  return nullptr;
}

std::set<std::string> BuiltArchs(const core::Manifest& manifest) {
  std::set<std::string> archs;
  for (const core::ManifestKernel& kernel : manifest.kernels()) {
    if (kernel.built && !kernel.gfx.empty()) archs.insert(kernel.gfx);
  }
  return archs;
}

// The module that a row waits for; null where it waits for none.
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

}  // namespace

std::set<std::string> BuiltNames(const core::Manifest& manifest) {
  std::set<std::string> names;
  for (const core::ManifestKernel& kernel : manifest.kernels()) {
    if (kernel.built) names.insert(kernel.module);
  }
  return names;
}

core::Result<StaleModules> FindStale(const Configuration& configuration,
                                     const core::Manifest& manifest,
                                     const std::map<std::string, std::string>& tables,
                                     std::string_view gpu_archs, bool all) {
  const std::set<std::string> archs =
      gpu_archs.empty() ? BuiltArchs(manifest) : std::set<std::string>();
  StaleModules stale;
  std::string scratch;
  for (const auto& [file, bytes] : tables) {
    const core::Family* const family = FamilyOfFile(configuration.families, file);
    if (family == nullptr) return core::Error{"bad_bundle", file + ": the table of no family"};
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

}  // namespace tunehub::agent
