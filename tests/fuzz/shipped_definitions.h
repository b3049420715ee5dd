// What a server of this repository's configs goes by.
#pragma once

#include <stdexcept>

#include "server/snapshots/definitions.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {

inline const server::Definitions& ShippedDefinitions() {
  static const server::Definitions definitions = [] {
    const auto configs = test::ShippedFamilyFolder().parent_path();
    auto families = core::Families::Load(configs / "families");
    if (!families.ok()) throw std::runtime_error(families.error().detail);
    server::Definitions made{*std::move(families), test::ShippedTargets()};
    auto readers = core::Readers::Load(configs / "readers", made.families);
    if (!readers.ok()) throw std::runtime_error(readers.error().detail);
    made.readers = *std::move(readers);
    return made;
  }();
  return definitions;
}

}  // namespace tunehub::fuzz
