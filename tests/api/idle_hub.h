// A hub with all of its routes, for tests that do not use its database.
#pragma once

#include <cstdint>

#include "server/app.h"
#include "tests/support/shipped.h"

namespace tunehub::server {

struct IdleHub {
  explicit IdleHub(Settings given = {})
      : settings(std::move(given)),
        definitions(ShippedDefinitions()),
        hub(settings, pool, definitions) {}

  static Definitions ShippedDefinitions() {
    Definitions shipped{
        *core::Families::Load(test::ShippedFamilyFolder()), test::ShippedTargets(), {}};
    for (const auto& family : shipped.families.all()) {
      shipped.ids[family->name] = static_cast<std::int16_t>(shipped.ids.size() + 1);
    }
    return shipped;
  }

  const Settings settings;
  const Definitions definitions;
  ConnectionPool pool{"host=/nowhere", {.size = 2}};
  Hub hub;
  const App app{hub, settings};
};

}  // namespace tunehub::server
