// The definitions of a server that runs with this repository's configs.
#pragma once

#include "server/snapshots/definitions.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {

inline const server::Definitions& ShippedDefinitions() {
  static const server::Definitions definitions = [] {
    const auto configs = test::ShippedFamilyFolder().parent_path();
    server::Definitions made{
        Must(core::Families::Load(configs / "families")), test::ShippedTargets(), {}};
    made.readers = Must(core::Readers::Load(configs / "readers", made.families));
    return made;
  }();
  return definitions;
}

}  // namespace tunehub::fuzz
