#pragma once

#include <map>
#include <string>

#include "core/base/archive.h"
#include "tests/support/result.h"

namespace tunehub::test {

// The files of a compressed or plain archive, by name. Throws if the bytes are not an archive.
inline std::map<std::string, std::string> Unpacked(const std::string& archive) {
  const auto entries = Must(core::ReadTar(archive, {.bytes = 1 << 26, .files = 10'000}));
  std::map<std::string, std::string> files;
  for (const core::TarFile& file : entries) files[file.name] = file.bytes;
  return files;
}

}  // namespace tunehub::test
