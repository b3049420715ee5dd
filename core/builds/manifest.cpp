#include "core/builds/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/hash.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"buildable", "compiled", "tree"};

using Place = std::tuple<std::string_view, std::string_view, std::string_view>;

Place PlaceOf(const ManifestKernel& kernel) {
  return {kernel.module, kernel.gfx, kernel.name};
}

}  // namespace

std::string_view Name(BuildKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<BuildKind> ParseBuildKind(std::string_view text) {
  const auto found = std::ranges::find(kKinds, text);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<BuildKind>(found - kKinds.begin());
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
  const auto found = std::ranges::equal_range(kernels_, Place{module, gfx, name}, {}, PlaceOf);
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

// Without an id before those with one (std::optional orders so), ids ascending.
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
  const ManifestKernel* last = nullptr;  // a kernel of several numbers or shapes is one
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
  bool digit = false;  // before this character
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != 'x' || !digit)) return false;
    digit = is_digit;
  }
  return digit;
}

// Apart from what reads and writes a manifest, as core/family/families.cpp is, and why.
std::string Manifest::Sha256() const {
  return Sha256Hex(Text());
}

}  // namespace tunehub::core
