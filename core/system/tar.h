// tar archives in memory: read for imports, written for bundles.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

struct TarFile {
  std::string name;  // with its path in the archive
  std::string bytes;
};

struct TarLimits {
  std::size_t bytes;  // of all files, unpacked
  std::size_t files;  // folders and links count, too
};

// The regular files of a tar, plain or compressed by gzip, sorted by name. Errors: bad_archive,
// too_large. Names are kept as labels only: nothing is written to a disk.
Result<std::vector<TarFile>> ReadTar(std::string_view archive, const TarLimits& limits);

// A tar.gz of the files in their order; the same files give the same bytes.
std::string WriteTarGz(const std::vector<TarFile>& files);

}  // namespace tunehub::core
