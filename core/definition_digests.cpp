// The digests of family files, targets.json and manifests, apart from their loaders: a program that
// asks for none links no libcrypto, whose start takes longer than reading the files.
#include "core/family.h"
#include "core/manifest.h"
#include "core/sha256.h"
#include "core/targets.h"

namespace tunehub::core {

std::string Family::Sha256() const {
  return Sha256Hex(source);
}

std::string Manifest::Sha256() const {
  return Sha256Hex(Text());
}

std::string Targets::Sha256() const {
  return Sha256Hex(source_);
}

}  // namespace tunehub::core
