#include "core/builds/build_fit.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/row/cell.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, kRowStates> kStates = {"effective", "after_rebuild",
                                                              "raises_until_rebuild", "impossible"};

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

// "" where the alias does not apply.
std::string Resolve(const KernelAlias& alias, std::string_view kernel) {
  if (!alias.prefix.empty()) {
    if (!kernel.starts_with(alias.prefix)) return "";
    return alias.stands_for + std::string(kernel.substr(alias.prefix.size()));
  }
  if (!kernel.ends_with(alias.suffix)) return "";
  return std::string(kernel.substr(0, kernel.size() - alias.suffix.size()));
}

// The row's shape as compiled tables of the family name it (Manifest): "304x16x1280x8192". "" where
// a column of it holds no number.
std::string CompiledShape(const Family& family, const Cells& cells) {
  const auto& without = family.lookup.compiled_without;
  std::string shape;
  for (const std::size_t column : family.key_columns) {
    if (column == family.gfx || column == family.tag) continue;
    if (std::ranges::find(without, column) != without.end()) continue;
    shape += (shape.empty() ? "" : "x") + std::string(cells[column]);
  }
  return IsShape(shape) ? shape : "";
}

}  // namespace

std::string_view Name(RowState state) {
  return kStates[static_cast<std::size_t>(state)];
}

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

std::string BuildFit::NameIn(const Module& module, std::string_view gfx,
                             std::string_view kernel) const {
  std::string name(kernel);
  if (manifest_.Contains(module.name, gfx, name)) return name;
  // One after the other: a name may have a prefix and a suffix that the build leaves out.
  for (const KernelAlias& alias : module.aliases) {
    std::string other = Resolve(alias, name);
    if (other.empty()) continue;
    name = std::move(other);
    if (manifest_.Contains(module.name, gfx, name)) return name;
  }
  return std::string(kernel);
}

// Of a module that is there: what it has now, or could be given.
RowState BuildFit::JudgeBuilt(const Module& module, const Cells& cells,
                              std::string_view name) const {
  const std::string_view gfx = cells[family_.gfx];
  const bool built = manifest_.ContainsBuilt(module.name, gfx, name);
  if (module.dispatch == Dispatch::kNameRegistry) {
    if (built) return RowState::kEffective;
    return manifest_.ContainsBuildable(module.name, gfx, name) ? RowState::kRaisesUntilRebuild
                                                               : RowState::kImpossible;
  }
  if (manifest_.IsCompiledFor(module.name, gfx, name, CompiledShape(family_, cells))) {
    return RowState::kEffective;
  }
  // A library alone does not tell for which shapes it has a kernel.
  return built || manifest_.ContainsBuildable(module.name, gfx, name) ? RowState::kAfterRebuild
                                                                      : RowState::kImpossible;
}

RowState BuildFit::JudgeKernel(const Module& module, const Cells& cells,
                               std::string_view kernel) const {
  const std::string_view gfx = cells[family_.gfx];
  const std::string name = NameIn(module, gfx, kernel);
  if (!manifest_.Contains(module.name, gfx, name)) return RowState::kImpossible;
  if (module.dispatch == Dispatch::kDirect) return RowState::kEffective;
  const RowState state =
      manifest_.IsBuilt(module.name) ? JudgeBuilt(module, cells, name) : RowState::kEffective;
  // A build to come that finds the kernel by its number must know that.
  const bool to_come = manifest_.ContainsBuildable(module.name, gfx, name);
  if (module.by_id && to_come && !manifest_.IdOf(module.name, gfx, name)) {
    return state == RowState::kEffective && manifest_.IsBuilt(module.name) ? state
                                                                           : RowState::kImpossible;
  }
  return state;
}

RowVerdict BuildFit::Judge(const Cells& cells) const {
  RowVerdict worst;
  bool named = false;
  for (const std::size_t column : family_.kernel_columns) {
    if (IsMissing(cells[column])) continue;
    const Module* const module = ModuleOf(family_, cells, cells[column]);
    const RowState state =
        module == nullptr ? RowState::kImpossible : JudgeKernel(*module, cells, cells[column]);
    if (!named || state > worst.state) worst = {state, module, cells[column]};
    named = true;
  }
  if (!named && !family_.kernel_columns.empty()) worst.state = RowState::kImpossible;
  return worst;
}

std::string BuildFit::Why(const RowVerdict& verdict, const Cells& cells) const {
  if (verdict.state == RowState::kEffective) return "";
  if (verdict.kernel.empty()) return "the row names no kernel";
  const std::string_view kernel = verdict.kernel;
  if (verdict.module == nullptr) return fmt::format("no module is known to run {}", kernel);
  const std::string& module = verdict.module->name;
  const std::string_view gfx = cells[family_.gfx];
  if (verdict.state == RowState::kRaisesUntilRebuild) {
    return fmt::format("{} was built without {} for {}, and raises until it is built again", module,
                       kernel, gfx);
  }
  if (verdict.state == RowState::kAfterRebuild) {
    return fmt::format(
        "{} is not known to be built with {} for this shape, and keeps its own choice until it is "
        "built again",
        module, kernel);
  }
  if (manifest_.Contains(module, gfx, kernel)) {
    return fmt::format("{} finds kernels by number, and the manifest has none of {} for {}", module,
                       kernel, gfx);
  }
  return fmt::format("{} has no {} for {}", module, kernel, gfx);
}

bool BuildFit::Renumber(Cells& cells, std::string& scratch) const {
  for (const std::size_t column : family_.kernel_columns) {
    const Module* module = ModuleOf(family_, cells, cells[column]);
    if (module == nullptr || !module->by_id) continue;
    const std::string_view gfx = cells[family_.gfx];
    const auto own = ParseInt(cells[family_.kernel_id]);
    if (own && manifest_.HasId(module->name, gfx, cells[column], *own)) return false;
    const auto id = manifest_.IdOf(module->name, gfx, cells[column]);
    if (!id) return false;
    scratch = std::to_string(*id);
    cells[family_.kernel_id] = scratch;
    return true;
  }
  return false;
}

}  // namespace tunehub::core
