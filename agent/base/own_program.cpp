#include "agent/base/own_program.h"

#include <filesystem>
#include <system_error>

namespace tunehub::agent {

std::string OwnProgram() {
  constexpr char kSelf[] = "/proc/self/exe";
  std::error_code error;
  const auto path = std::filesystem::read_symlink(kSelf, error);
  // The kernel appends " (deleted)" to the path of a file that is gone.
  return !error && std::filesystem::equivalent(path, kSelf, error) ? path.string() : kSelf;
}

}  // namespace tunehub::agent
