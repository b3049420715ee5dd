// What a server of this repository's configs goes by.
#pragma once

#include <stdexcept>

#include "server/service/registry/definitions.h"
#include "tests/support/shipped.h"

namespace tunehub::fuzz {

inline const service::Definitions& ShippedDefinitions() {
  static const service::Definitions definitions = [] {
    const auto configs = test::ShippedFamilyFolder().parent_path();
    auto families = core::Families::Load(configs / "families");
    if (!families.ok()) throw std::runtime_error(families.error().detail);
    service::Definitions made{*std::move(families), test::ShippedTargets()};
    auto readers = core::Readers::Load(configs / "readers", made.families);
    if (!readers.ok()) throw std::runtime_error(readers.error().detail);
    made.readers = *std::move(readers);
    return made;
  }();
  return definitions;
}

}  // namespace tunehub::fuzz
