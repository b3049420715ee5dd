// A file in memory with the input of one run, for code that reads from a path.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tunehub::fuzz {

class ScratchFile {
 public:
  explicit ScratchFile(std::string_view bytes)
      : path_("/dev/shm/tunehub-fuzz-" + std::to_string(getpid())) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_.string() + ".damaged", ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tunehub::fuzz
