#include "dispatch/built_in.h"

#include <stdexcept>

#include "dispatch_devices.h"
#include "dispatch_families.h"
#include "dispatch_targets.h"

namespace tunehub::th {
namespace {

template <typename T>
T Whole(core::Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().detail);
  return *std::move(result);
}

}  // namespace

const std::vector<std::shared_ptr<const core::Family>>& BuiltInFamilies() {
  static const auto families = [] {
    std::vector<std::shared_ptr<const core::Family>> all;
    for (const auto& [name, text] : kFamilyTexts) {
      all.push_back(std::make_shared<const core::Family>(Whole(core::ParseFamily(name, text))));
    }
    return all;
  }();
  return families;
}

const core::Targets& BuiltInTargets() {
  static const core::Targets targets = Whole(core::Targets::Parse(
      "targets.json", kTargetsText, Whole(core::Devices::Parse("devices.json", kDevicesText))));
  return targets;
}

}  // namespace tunehub::th
