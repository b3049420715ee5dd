#include "core/manifest.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/csv.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"buildable", "compiled"};

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

// Without an id before those with one (std::optional orders so), ids ascending.
const ManifestKernel* Manifest::Find(std::string_view module, std::string_view gfx,
                                     std::string_view name) const {
  const Place place{module, gfx, name};
  const auto found = std::ranges::lower_bound(kernels_, place, {}, PlaceOf);
  return found != kernels_.end() && PlaceOf(*found) == place ? &*found : nullptr;
}

bool Manifest::Contains(std::string_view module, std::string_view gfx,
                        std::string_view name) const {
  return Find(module, gfx, name) != nullptr || Find(module, "", name) != nullptr ||
         Find(module, gfx, kAnyKernel) != nullptr || Find(module, "", kAnyKernel) != nullptr;
}

std::optional<int> Manifest::IdOf(std::string_view module, std::string_view gfx,
                                  std::string_view name) const {
  for (const std::string_view where : {gfx, std::string_view()}) {
    const ManifestKernel* kernel = Find(module, where, name);
    if (kernel == nullptr) continue;
    const ManifestKernel* const end = kernels_.data() + kernels_.size();
    for (; kernel != end && PlaceOf(*kernel) == Place{module, where, name}; ++kernel) {
      if (kernel->id) return kernel->id;
    }
  }
  return std::nullopt;
}

std::map<std::string, std::size_t> Manifest::CountByModule() const {
  std::map<std::string, std::size_t> counts;
  for (const ManifestKernel& kernel : kernels_) ++counts[kernel.module];
  return counts;
}

std::string Manifest::Text() const {
  std::string text = "# kind: " + std::string(Name(kind_)) + "\n";
  for (const auto& [library, version] : versions_) text += "# " + library + ": " + version + "\n";
  text += "module,gfx,kernelId,kernelName\n";
  for (const ManifestKernel& kernel : kernels_) {
    text += kernel.module + "," + kernel.gfx + "," + (kernel.id ? std::to_string(*kernel.id) : "") +
            ",";
    AppendCsvField(text, kernel.name);
    text.push_back('\n');
  }
  return text;
}

bool IsModuleName(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace tunehub::core
