// Paths that somebody else names, and that must stay below a folder of ours.
#pragma once

#include <filesystem>

namespace tunehub::core {

// Neither empty nor absolute, and no part of it leads up.
bool IsInnerPath(const std::filesystem::path& path);

}  // namespace tunehub::core
