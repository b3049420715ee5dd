// A whole file in memory, read at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/system/open_file.h"

namespace tunehub::core {

class FileBytes {
 public:
  // Errors: file_not_found, file_unreadable, file_too_large, each with the path and the reason.
  // A pipe is read to its end, once: a second Read of it finds nothing.
  static Result<FileBytes> Read(const std::filesystem::path& path);
  // The same of one that is open; `path` stands for it in errors.
  static Result<FileBytes> Read(const std::filesystem::path& path, const OpenedFile& file);

  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  void Grow(std::size_t capacity);

  std::unique_ptr<char[]> bytes_;  // not a string: megabytes need no zeroes first
  std::size_t size_ = 0;
};

}  // namespace tunehub::core
