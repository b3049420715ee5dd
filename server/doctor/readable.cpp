#include "server/doctor/readable.h"

#include <unistd.h>

#include "core/system/child_start.h"

namespace tunehub::doctor {

bool MayRead(const std::filesystem::path& file, const embedded::DatabaseUser& user) {
  if (!user.switched) return ::access(file.c_str(), R_OK) == 0;
  const pid_t child = ::fork();
  if (child < 0) return true;  // what cannot be asked is not wrong
  if (child == 0) {
    const bool may = embedded::BecomeUser(user) && ::access(file.c_str(), R_OK) == 0;
    ::_exit(may ? 0 : 1);
  }
  return core::WaitFor(child).value_or(0) == 0;
}

}  // namespace tunehub::doctor
