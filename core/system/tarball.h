// tar.gz in memory, by libarchive.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

struct TarEntry {
  std::string name;
  std::string bytes;
};

// The same entries give the same bytes: no times, no owners.
std::string PackTarGz(std::span<const TarEntry> entries);

// The regular files. Errors: bad_archive (not readable, a name that leaves the folder, more than
// `limit` bytes).
Result<std::vector<TarEntry>> UnpackTarGz(std::string_view bytes, std::size_t limit);

}  // namespace tunehub::core
