// The modules of a tree that must be built again for rows to do what they say.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

struct StaleModules {
  // As AITER builds them, with their names in manifests: "module_gemm_a8w8" -> "gemm_a8w8".
  std::map<std::string, std::string> names;
  std::map<std::string, std::size_t> rows;  // that wait for each library
};

// `tables`: by file name in aiter/configs. Rows for architectures that nothing is built for wait
// for no module, unless `gpu_archs` asks for them. `all`: every module that is built and that some
// row's kernel is of. Errors: bad_bundle (a table that is none of its family, or of no family).
core::Result<StaleModules> FindStale(const Configuration& configuration,
                                     const core::Manifest& manifest,
                                     const std::map<std::string, std::string>& tables,
                                     std::string_view gpu_archs, bool all);

// What is built of a manifest, by module name.
std::set<std::string> BuiltNames(const core::Manifest& manifest);

}  // namespace tunehub::agent
