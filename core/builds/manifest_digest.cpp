// Apart from what reads and writes a manifest, as core/family/definition_digests.cpp is, and why.
#include "core/base/sha256.h"
#include "core/builds/manifest.h"

namespace tunehub::core {

std::string Manifest::Sha256() const {
  return Sha256Hex(Text());
}

}  // namespace tunehub::core
