// One store of a reader file.
#pragma once

#include "core/base/json_object.h"
#include "core/family/families.h"
#include "core/readers/reader.h"

namespace tunehub::core {

ReaderStore ParseStore(JsonObject json, const Reader& reader, const Families& families);

}  // namespace tunehub::core
