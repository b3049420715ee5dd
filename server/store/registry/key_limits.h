// A key's limits as the JSON that the database keeps.
#pragma once

#include <string>

#include "server/store/connection/writer.h"

namespace tunehub::store {

std::string LimitsText(const KeyLimits& limits);
KeyLimits ParseLimits(const std::string& text);

}  // namespace tunehub::store
