// What the libraries and lookup headers of an AITER tree have now.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "core/builds/manifest.h"
#include "core/family/family.h"

namespace tunehub::agent {

// A library of a known module's name holds that one's kernels; another one those that no such
// library is for. A lookup header says which names a registry has and for which shapes a table has
// a kernel, where it is not newer than the library: then the build did not end. What tuners build
// (module_*_tune) has every kernel and runs in no model: it is left out. A module that is built
// without any kernel has core::kNoKernel. `modules` is by name.
// Files that cannot be read are added to `unread`, with the reason.
std::vector<core::ManifestKernel> BuiltKernels(const BuildTree& tree,
                                               const std::map<std::string, core::Module>& modules,
                                               std::vector<std::string>& unread);

}  // namespace tunehub::agent
