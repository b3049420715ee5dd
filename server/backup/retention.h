// A folder of backups, each under the time when it was made: 2026-01-31T12-00-00Z.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::backup {

std::string NameAt(std::chrono::system_clock::time_point time);

struct NamedBackup {
  std::string name;
  std::chrono::system_clock::time_point made;
};

// The newest backup of the folder, as far as names say; nothing where it has none. Errors:
// file_unreadable.
core::Result<std::optional<NamedBackup>> Newest(const std::filesystem::path& folder);

// Removes the oldest backups of the folder but for `keep`; what has no such name or no manifest
// stays. Answers their names. A kill leaves none with a part missing. Errors: file_unreadable,
// file_unwritable.
core::Result<std::vector<std::string>> RemoveOld(const std::filesystem::path& folder,
                                                 std::size_t keep);

}  // namespace tunehub::backup
