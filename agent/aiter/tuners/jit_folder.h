// Where AITER's scripts keep what they compile ($AITER_JIT_DIR): one folder for each AITER and each
// ROCm, which stays, because compiling a tuner's kernels takes minutes to hours.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/system/fd.h"

namespace tunehub::agent::tuners {

class JitFolder {
 public:
  // The folder `kept`/DIGEST_rocm-VERSION of the AITER at `aiter`, made if it is new. It gets the
  // modules that are installed (aiter/jit/*.so) and that it lacks or has older: copies, since AITER
  // writes into the folder. Build locks that a killed script left are removed where nobody else
  // uses the folder. Errors: file_unwritable, file_unreadable.
  static core::Result<JitFolder> Open(const std::filesystem::path& kept,
                                      const std::filesystem::path& aiter,
                                      const std::string& python);
  JitFolder() = default;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  core::Fd lock_;  // shared for as long as the folder is used
};

// Hex, of the sources in `aiter` that its modules are compiled from, and of the Python and torch
// that load them. Its tables and what it has compiled do not count.
std::string AiterDigest(const std::filesystem::path& aiter, const std::string& python);

// As /opt/rocm/.info/version or that of $ROCM_PATH says; "unknown".
inline constexpr char kUnknownRocm[] = "unknown";
std::string RocmVersion();

}  // namespace tunehub::agent::tuners
