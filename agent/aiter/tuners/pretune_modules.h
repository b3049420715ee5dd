// The modules that AITER's PRETUNE_MODULES names: module_*_tune of a tree's optCompilerConfig.json,
// each the tuner's side of a module that has a table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::agent::tuning {

struct PretuneModule {
  std::string name;                      // "module_gemm_a8w8_tune"
  const core::Family* family = nullptr;  // whose table is tuned; null: see why_not
  std::string why_not;                   // why it cannot be tuned; "": it can
};

// In the order of the tree's file. Errors: no_modules (there is no such file, or it is no JSON).
core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter);

// "all", or names between commas, also without "module_" and "_tune"; several of one family are
// tuned once. Errors: unknown_module (with those that there are), unsupported_module.
core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted);

}  // namespace tunehub::agent::tuning
