// A folder that its destructor removes. Its mode 0755 lets a PostgreSQL of another user enter it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tunehub::test {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  // Writes a file, and makes the folders in its name. Returns its path.
  std::string Write(const std::string& name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tunehub::test
