#include "core/build_fit.h"

#include <algorithm>

#include "core/cell.h"

namespace tunehub::core {
namespace {

bool Takes(const Family& family, const Module& module, const Cells& cells,
           std::string_view kernel) {
  const bool libtype =
      module.libtypes.empty() ||
      std::ranges::find(module.libtypes, cells[family.libtype]) != module.libtypes.end();
  return libtype && (module.kernels.empty() ||
                     std::ranges::any_of(module.kernels, [&](const std::string& prefix) {
                       return kernel.starts_with(prefix);
                     }));
}

}  // namespace

const Module* ModuleOf(const Family& family, const Cells& cells, std::string_view kernel) {
  const auto found = std::ranges::find_if(
      family.modules, [&](const Module& module) { return Takes(family, module, cells, kernel); });
  return found == family.modules.end() ? nullptr : &*found;
}

bool IsOfFamily(const Family& family, const Manifest& manifest) {
  return std::ranges::any_of(manifest.kernels(), [&](const ManifestKernel& kernel) {
    return std::ranges::any_of(family.modules,
                               [&](const Module& module) { return module.name == kernel.module; });
  });
}

bool BuildFit::Has(const Cells& cells, std::string_view kernel) const {
  const Module* module = ModuleOf(family_, cells, kernel);
  if (module == nullptr) return false;
  const std::string_view gfx = cells[family_.gfx];
  if (!manifest_.Contains(module->name, gfx, kernel)) return false;
  return !module->by_id || manifest_.kind() == BuildKind::kCompiled ||
         manifest_.IdOf(module->name, gfx, kernel).has_value();
}

const std::string_view* BuildFit::FirstMissing(const Cells& cells) const {
  bool named = false;
  for (const std::size_t column : family_.kernel_columns) {
    if (IsMissing(cells[column])) continue;
    named = true;
    if (!Has(cells, cells[column])) return &cells[column];
  }
  return named || family_.kernel_columns.empty() ? nullptr : &cells[family_.kernel_columns.front()];
}

std::string BuildFit::WhyNot(const Cells& cells) const {
  const std::string_view* kernel = FirstMissing(cells);
  if (kernel == nullptr) return "";
  if (IsMissing(*kernel)) return "the row names no kernel";
  const Module* module = ModuleOf(family_, cells, *kernel);
  if (module == nullptr) return "no module is known to run " + std::string(*kernel);
  const std::string gfx = " for " + std::string(cells[family_.gfx]);
  if (manifest_.Contains(module->name, cells[family_.gfx], *kernel)) {
    return module->name + " finds kernels by number, and the manifest has none of " +
           std::string(*kernel) + gfx;
  }
  return module->name + " has no " + std::string(*kernel) + gfx;
}

bool BuildFit::Renumber(Cells& cells, std::string& scratch) const {
  for (const std::size_t column : family_.kernel_columns) {
    const Module* module = ModuleOf(family_, cells, cells[column]);
    if (module == nullptr || !module->by_id) continue;
    const auto id = manifest_.IdOf(module->name, cells[family_.gfx], cells[column]);
    if (!id) return false;
    scratch = std::to_string(*id);
    if (cells[family_.kernel_id] == scratch) return false;
    cells[family_.kernel_id] = scratch;
    return true;
  }
  return false;
}

}  // namespace tunehub::core
