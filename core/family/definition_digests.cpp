// The digests of family files, targets.json and devices.json, apart from their loaders: a program
// that asks for none links no libcrypto, whose start takes longer than reading the files.
#include "core/base/sha256.h"
#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

std::string Family::Sha256() const {
  return Sha256Hex(source);
}

std::string Targets::Sha256() const {
  return Sha256Hex(Definition());
}

}  // namespace tunehub::core
