// A folder that is gone after the test. Mode 0755, so that a PostgreSQL of another user may pass.
#pragma once

#include <filesystem>

namespace tunehub::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tunehub::test
