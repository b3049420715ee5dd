// `pretune all|MODULE,...|--list`: what AITER's PRETUNE_MODULES does, by AITER's own scripts and
// JIT: every shape of a module's table is tuned on this GPU, the table gets the winners, and the
// modules whose kernels changed are built again. Needs no hub.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/command.h"
#include "agent/search/tune_command.h"
#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::agent {

// The modules that AITER's PRETUNE_MODULES names: module_*_tune of a tree's optCompilerConfig.json,
// each the tuner's side of a module that has a table.
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

// The modules that there are, and why some cannot be tuned. The exit code.
int ListModules(const TuneOptions& options, Console& console);

// `modules`: "all", or names between commas. 0: every shape has a row and every module is built;
// 1: some shapes or modules failed, a table whose module could not be built is as it was; 2: it
// could not be done.
int PretuneModules(TuneOptions options, const std::string& modules, Console& console);

}  // namespace tunehub::agent
