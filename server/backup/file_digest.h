// The size and the SHA-256 of a file of any size, read piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace tunehub::backup {

struct FileDigest {
  std::uint64_t bytes = 0;
  std::string sha256;  // hex
};

// Errors: file_not_found, file_unreadable, with the path and the reason.
core::Result<FileDigest> DigestFile(const std::filesystem::path& path);

}  // namespace tunehub::backup
