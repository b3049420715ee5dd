// Files below a folder of ours under names that somebody else gives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::core {

// Parts between slashes, of which none is empty, "." or "..", without a backslash and without
// control characters.
bool IsInnerPath(std::string_view name);

// The folder of the file `name` below `folder`; those between are made. No link below `folder` is
// followed. Errors: bad_name (no inner path), file_unwritable.
Result<Fd> FolderBelow(const std::filesystem::path& folder, const std::string& name);

// Writes the file `name` below `folder`. What has that name, a link too, is removed first, so that
// nothing is written through it. The disk is not waited for. Errors: as FolderBelow.
Status WriteBelow(const std::filesystem::path& folder, const std::string& name,
                  std::string_view bytes);

}  // namespace tunehub::core
