#include "agent/aiter/tuners/pretune_modules.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/aiter/tuners/aiter_variant.h"
#include "core/base/read_json.h"
#include "core/base/split.h"
#include "core/base/trim.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuning {
namespace {

constexpr std::string_view kPrefix = "module_", kSuffix = "_tune", kAll = "all";

const core::Family* FamilyOf(const core::Families& families, std::string_view library) {
  for (const auto& family : families.all()) {
    for (const core::Module& module : family->modules) {
      if (!module.candidates.empty() && module.library == library) return family.get();
    }
  }
  return nullptr;
}

PretuneModule Describe(const core::Families& families, const std::string& name) {
  PretuneModule module{name, nullptr, ""};
  const core::Family* const family =
      FamilyOf(families, std::string_view(name).substr(0, name.size() - kSuffix.size()));
  if (family == nullptr) {
    module.why_not = "no table is compiled into it";
  } else if (tuners::VariantOf(*family) == nullptr) {
    module.why_not = "AITER has no tune script for " + family->name;
  } else {
    module.family = family;
  }
  return module;
}

std::string FullName(std::string_view name) {
  std::string full(name);
  if (!full.starts_with(kPrefix)) full.insert(0, kPrefix);
  if (!full.ends_with(kSuffix)) full += kSuffix;
  return full;
}

std::string Names(const std::vector<PretuneModule>& modules) {
  std::string names;
  for (const PretuneModule& module : modules) names += (names.empty() ? "" : ", ") + module.name;
  return names;
}

}  // namespace

core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter) {
  const std::string file = (aiter / "aiter/jit/optCompilerConfig.json").string();
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return core::Error{"no_modules", bytes.error().detail};
  const auto json = core::ReadJsonAs<nlohmann::ordered_json>(bytes->view());
  if (!json.is_object()) return core::Error{"no_modules", file + ": not a JSON object"};
  std::vector<PretuneModule> modules;
  for (const auto& [name, build] : json.items()) {
    if (name.ends_with(kSuffix)) modules.push_back(Describe(families, name));
  }
  return modules;
}

core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted) {
  std::vector<const core::Family*> families;
  const auto add = [&](const PretuneModule& module) {
    const bool known = std::ranges::find(families, module.family) != families.end();
    if (module.family != nullptr && !known) families.push_back(module.family);
  };
  if (wanted == kAll) {
    for (const PretuneModule& module : modules) add(module);
    return families;
  }
  for (std::string_view word : core::SplitAt(wanted, ",")) {
    word = core::Trim(word);
    if (word.empty()) continue;
    const std::string name = FullName(word);
    const auto module = std::ranges::find(modules, name, &PretuneModule::name);
    if (module == modules.end()) {
      return core::Error{
          "unknown_module",
          fmt::format("'{}' is no tune module of this AITER; there are {}", word, Names(modules))};
    }
    if (module->family == nullptr) {
      return core::Error{"unsupported_module", name + ": " + module->why_not};
    }
    add(*module);
  }
  return families;
}

}  // namespace tunehub::agent::tuning
