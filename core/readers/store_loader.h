// One store of a reader file.
#pragma once

#include "core/base/json_object.h"
#include "core/family/families.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// Empty where the object has no such member.
std::vector<ReaderLine> ParseLines(JsonObject& json, const std::string& member);

ReaderStore ParseStore(JsonObject json, const Reader& reader, const Families& families);

}  // namespace tunehub::core
