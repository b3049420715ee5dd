#include "tests/support/temp_dir.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace tunehub::test {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "tunehub-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0755) != 0) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::Write(const std::string& name, std::string_view bytes) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << bytes;
  return *this / name;
}

}  // namespace tunehub::test
