// Which family a CSV belongs to: by its file name, then its header, then its kernel names.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::core {

// Errors: unknown_family (nothing matches; names the header), ambiguous_family (names the
// candidates and says what to pass). `file_name` may be a path or empty.
Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv);

// True for a file that AITER merges into a tuned table: its name holds some family's token, ends in
// .csv and does not contain "untuned".
bool IsTunedFileName(const Families& families, std::string_view file_name);

}  // namespace tunehub::core
