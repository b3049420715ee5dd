// A whole file as the system already has it: no copy of it is made. A pipe is read to its end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/system/file_bytes.h"

namespace tunehub::core {

// For a program of one purpose: whoever truncates the file meanwhile ends it (SIGBUS).
class MappedFile {
 public:
  // Errors: file_not_found, file_unreadable, file_too_large, each with the path and the reason.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(piped_, other.piped_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view view() const {
    return bytes_ == nullptr ? piped_.view() : std::string_view(bytes_, size_);
  }

 private:
  MappedFile() = default;

  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
  FileBytes piped_;
};

}  // namespace tunehub::core
