#include "core/builds/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/hash.h"
#include "core/row/cell.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kBuildKinds = {"buildable", "compiled", "tree"};

using KernelPlace = std::tuple<std::string_view, std::string_view, std::string_view>;

KernelPlace PlaceOf(const ManifestKernel& kernel) {
  return {kernel.module, kernel.gfx, kernel.name};
}

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

// Returns "" if the alias does not apply.
std::string Resolve(const KernelAlias& alias, std::string_view kernel) {
  if (!alias.prefix.empty()) {
    if (!kernel.starts_with(alias.prefix)) return "";
    return alias.stands_for + std::string(kernel.substr(alias.prefix.size()));
  }
  if (!kernel.ends_with(alias.suffix)) return "";
  return std::string(kernel.substr(0, kernel.size() - alias.suffix.size()));
}

// The row's shape as in ManifestKernel::shape: "304x16x1280x8192". "" if a column contains no
// number.
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

std::string_view Name(BuildKind kind) {
  return kBuildKinds[static_cast<std::size_t>(kind)];
}

std::optional<BuildKind> ParseBuildKind(std::string_view text) {
  const auto found = std::ranges::find(kBuildKinds, text);
  if (found == kBuildKinds.end()) return std::nullopt;
  return static_cast<BuildKind>(found - kBuildKinds.begin());
}

Manifest::Manifest(BuildKind kind, std::map<std::string, std::string> versions,
                   std::vector<ManifestKernel> kernels)
    : kind_(kind), versions_(std::move(versions)), kernels_(std::move(kernels)) {
  std::ranges::sort(kernels_);
  const auto repeated = std::ranges::unique(kernels_);
  kernels_.erase(repeated.begin(), repeated.end());
}

std::span<const ManifestKernel> Manifest::Find(std::string_view module, std::string_view gfx,
                                               std::string_view name) const {
  const auto found =
      std::ranges::equal_range(kernels_, KernelPlace{module, gfx, name}, {}, PlaceOf);
  return {found.begin(), found.end()};
}

template <typename Condition>
bool Manifest::Any(std::string_view module, std::string_view gfx, std::string_view name,
                   Condition condition) const {
  for (const std::string_view where : {gfx, std::string_view()}) {
    for (const std::string_view what : {name, kAnyKernel}) {
      if (std::ranges::any_of(Find(module, where, what), condition)) return true;
    }
  }
  return false;
}

bool Manifest::Contains(std::string_view module, std::string_view gfx,
                        std::string_view name) const {
  return Any(module, gfx, name, [](const ManifestKernel&) { return true; });
}

bool Manifest::ContainsBuilt(std::string_view module, std::string_view gfx,
                             std::string_view name) const {
  return kind_ != BuildKind::kBuildable &&
         Any(module, gfx, name, [&](const ManifestKernel& kernel) {
           return kind_ == BuildKind::kCompiled || kernel.built;
         });
}

bool Manifest::ContainsBuildable(std::string_view module, std::string_view gfx,
                                 std::string_view name) const {
  return kind_ != BuildKind::kCompiled &&
         Any(module, gfx, name, [](const ManifestKernel& kernel) { return !kernel.built; });
}

bool Manifest::IsCompiledFor(std::string_view module, std::string_view gfx, std::string_view name,
                             std::string_view shape) const {
  return !shape.empty() && Any(module, gfx, name, [&](const ManifestKernel& kernel) {
    return kernel.built && kernel.shape == shape;
  });
}

bool Manifest::IsBuilt(std::string_view module) const {
  if (kind_ != BuildKind::kTree) return kind_ == BuildKind::kCompiled;
  const auto of_module = std::ranges::equal_range(
      kernels_, module, {}, [](const ManifestKernel& k) -> std::string_view { return k.module; });
  return std::ranges::any_of(of_module, &ManifestKernel::built);
}

// Rows are sorted by id. Rows without an id come first, as std::optional compares.
std::optional<int> Manifest::IdOf(std::string_view module, std::string_view gfx,
                                  std::string_view name) const {
  for (const std::string_view where : {gfx, std::string_view()}) {
    for (const ManifestKernel& kernel : Find(module, where, name)) {
      if (kernel.id) return kernel.id;
    }
  }
  return std::nullopt;
}

bool Manifest::HasId(std::string_view module, std::string_view gfx, std::string_view name,
                     int id) const {
  return Any(module, gfx, name, [&](const ManifestKernel& kernel) { return kernel.id == id; });
}

Manifest Manifest::WithoutBuilt(const std::set<std::string>& modules) const {
  Manifest rest = *this;
  std::erase_if(rest.kernels_, [&](const ManifestKernel& kernel) {
    return kernel.built && modules.contains(kernel.module);
  });
  return rest;
}

std::map<std::string, std::size_t> Manifest::CountByModule() const {
  std::map<std::string, std::size_t> counts;
  const ManifestKernel* last = nullptr;  // counts a kernel with several ids or shapes once
  for (const ManifestKernel& kernel : kernels_) {
    if (kernel.name == kNoKernel) continue;
    if (last == nullptr || kind_ != BuildKind::kTree || PlaceOf(*last) != PlaceOf(kernel)) {
      ++counts[kernel.module];
    }
    last = &kernel;
  }
  return counts;
}

std::string Manifest::Text() const {
  std::string text = fmt::format("# kind: {}\n", Name(kind_));
  for (const auto& [library, version] : versions_) {
    text += fmt::format("# {}: {}\n", library, version);
  }
  const bool tree = kind_ == BuildKind::kTree;
  text +=
      tree ? "module,gfx,kernelId,kernelName,built,shape\n" : "module,gfx,kernelId,kernelName\n";
  for (const ManifestKernel& kernel : kernels_) {
    text += kernel.module + "," + kernel.gfx + "," + (kernel.id ? std::to_string(*kernel.id) : "") +
            ",";
    AppendCsvField(text, kernel.name);
    if (tree) text += std::string(kernel.built ? ",1," : ",,") + kernel.shape;
    text.push_back('\n');
  }
  return text;
}

bool IsShape(std::string_view text) {
  bool digit = false;  // the character before is a digit
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != 'x' || !digit)) return false;
    digit = is_digit;
  }
  return digit;
}

std::string Manifest::Sha256() const {
  return Sha256Hex(Text());
}

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
  // Applies the aliases one after another, because a name may have both a prefix and a suffix that
  // the build omits.
  for (const KernelAlias& alias : module.aliases) {
    std::string other = Resolve(alias, name);
    if (other.empty()) continue;
    name = std::move(other);
    if (manifest_.Contains(module.name, gfx, name)) return name;
  }
  return std::string(kernel);
}

// Judges a kernel of a built module: the module has it, could get it, or neither.
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
  // A library alone does not show the shapes of its kernels.
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
  // A future build that finds the kernel by id needs that id.
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
  if (verdict.module == nullptr) return fmt::format("no known module runs {}", kernel);
  const std::string& module = verdict.module->name;
  const std::string_view gfx = cells[family_.gfx];
  if (verdict.state == RowState::kRaisesUntilRebuild) {
    return fmt::format(
        "the module {} was built without {} for {}; AITER raises an error until a rebuild of this "
        "module",
        module, kernel, gfx);
  }
  if (verdict.state == RowState::kAfterRebuild) {
    return fmt::format(
        "the module {} may have been built without {} for this shape; until a rebuild the module "
        "chooses a kernel itself",
        module, kernel);
  }
  if (manifest_.Contains(module, gfx, kernel)) {
    return fmt::format(
        "the module {} finds kernels by number, but the manifest has no number of {} for {}",
        module, kernel, gfx);
  }
  return fmt::format("the module {} has no {} for {}", module, kernel, gfx);
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
