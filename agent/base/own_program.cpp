#include "agent/base/own_program.h"

#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace tunehub::agent {

namespace fs = std::filesystem;

std::string OwnProgram() {
  constexpr char kSelf[] = "/proc/self/exe";
  std::error_code error;
  const fs::path path = fs::read_symlink(kSelf, error);
  if (error) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel hands over an address as a number
    const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    return fs::absolute(name, error).string();
  }
  // The kernel appends " (deleted)" to the path of a file that is gone.
  return fs::equivalent(path, kSelf, error) ? path.string() : kSelf;
}

}  // namespace tunehub::agent
