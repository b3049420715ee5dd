// A text where a device's name belongs and that is none.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// Error no_device_name, with the text: the path has what an engine writes where it could not ask
// for the device, such as "<MagicMock ...>" or "None". Nothing: a name stands there, or none must.
std::optional<Error> WhyNoDevice(const ReaderStore& store, std::string_view path);

}  // namespace tunehub::core
