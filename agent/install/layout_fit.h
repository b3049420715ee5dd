// Files of a layout that an engine's tree no longer has, put where its newer states look.
#pragma once

#include <cstddef>
#include <filesystem>

#include "agent/hub/tree.h"
#include "core/base/result.h"

namespace tunehub::agent {

// Renames such files of the tree where `folder`, the engine's own, has files of the newer layouts
// and none of the older; says how many. Error wrong_layout, with the file: no rule says its name
// there, the tree has another file of that name, or its default is missing.
core::Result<std::size_t> FitLayout(const core::Reader& reader, Tree& tree,
                                    const std::filesystem::path& folder);

}  // namespace tunehub::agent
