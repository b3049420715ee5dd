// A family file for a table that none describes, as far as the table says it: to be finished by
// hand.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

// `name`: the table's file name. `untuned`: the text of its untuned table, whose columns become the
// shape; "": the columns before the first that names a kernel, a library or a time do. Types follow
// from the values of all rows. The lookup is "exact", the metric "none". Errors: those of
// CheckTableText and CsvReader, bad_family where the columns make none (no gfx, say).
Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned);

}  // namespace tunehub::core
