// A file opened to be read whole.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/base/result.h"
#include "core/system/fd.h"

namespace tunehub::core {

// Far above any tuned table (AITER's largest has 1.6 MB), far below what a host has.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;

struct OpenedFile {
  Fd fd;
  std::size_t size = 0;  // bytes, when it was opened; of what is no regular file 0
  bool regular = true;   // else a pipe or a terminal: what it holds is known when it ends
};

// Waits for the writer of a named pipe. Errors: file_not_found, file_unreadable, file_too_large,
// each with the path and the reason.
Result<OpenedFile> OpenFile(const std::filesystem::path& path);

Error TooLarge(const std::filesystem::path& path, std::size_t size);
Error Unreadable(const std::filesystem::path& path, int error);

}  // namespace tunehub::core
