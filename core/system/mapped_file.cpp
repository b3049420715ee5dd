#include "core/system/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "core/system/open_file.h"

namespace tunehub::core {

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  auto file = OpenFile(path);
  if (!file.ok()) return file.error();
  MappedFile mapped;
  if (!file->regular) {
    auto piped = FileBytes::Read(path, *file);
    if (!piped.ok()) return piped.error();
    mapped.piped_ = *std::move(piped);
    return mapped;
  }
  if (file->size == 0) return mapped;  // mmap refuses an empty file
  void* const bytes =
      ::mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file->fd.get(), 0);
  if (bytes == MAP_FAILED) return Unreadable(path, errno);
  mapped.bytes_ = static_cast<const char*>(bytes);
  mapped.size_ = file->size;
  return mapped;
}

MappedFile::~MappedFile() {
  if (bytes_ != nullptr) ::munmap(const_cast<char*>(bytes_), size_);
}

}  // namespace tunehub::core
