#include "core/readers/no_device.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"
#include "core/row/cell.h"

namespace tunehub::core {
namespace {

// Python writes its objects with these; no driver's name of a device has one.
constexpr std::string_view kOfObjects = "<>'\"{}";

// What stands behind "device_name=" up to the next part or the name's ending.
std::optional<std::string_view> DeviceIn(const ReaderStore& store, std::string_view path) {
  for (const NameForm& form : store.names) {
    for (const NamePart& part : form.parts) {
      for (const NamePlace& place : part.places) {
        const std::size_t at = path.find(place.before);
        if (place.column != store.family->device || place.before.empty() ||
            at == std::string_view::npos) {
          continue;
        }
        const std::string_view rest = path.substr(at + place.before.size());
        const std::size_t comma = rest.find(',');
        return rest.substr(0, comma == std::string_view::npos ? rest.rfind('.') : comma);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> WhyNoDevice(const ReaderStore& store, std::string_view path) {
  const auto device = DeviceIn(store, path);
  if (!device || device->empty()) return std::nullopt;
  if (!IsMissingWord(*device) && device->find_first_of(kOfObjects) == std::string_view::npos) {
    return std::nullopt;
  }
  return Error{
      "no_device_name",
      fmt::format("'{}' is no device's name: the engine could not ask the driver (amdsmi or "
                  "NVML is missing, or a mock)",
                  Excerpt(*device))};
}

}  // namespace tunehub::core
