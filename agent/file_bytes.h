// A whole file in memory, read at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/result.h"

namespace tunehub::agent {

class FileBytes {
 public:
  // Errors: file_not_found, file_unreadable, file_too_large, each with the path and the reason.
  static core::Result<FileBytes> Read(const std::filesystem::path& path);

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;  // not a string: megabytes need no zeroes first
  std::size_t size_ = 0;
};

}  // namespace tunehub::agent
