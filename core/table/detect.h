// Which family a CSV belongs to: by its file name, as AITER goes, then its header, then its kernel
// names.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::core {

// Errors: unknown_family (a name as of WhyForeign, or nothing matches; names the header),
// ambiguous_family (names the candidates and says what to pass). `file_name` may be a path or
// empty.
Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv);

// The family whose table AITER takes a file for: directly in a folder `configs` by the exact name,
// elsewhere by the longest token in a name without "untuned". Null: none.
const Family* FamilyOfFileName(const Families& families, std::string_view path);

// Why a file is no family's whatever its header: its name is a tuned table's, and of no family that
// is known here. "" where the name is a family's, or says nothing (my.csv, tuned.csv).
std::string WhyForeign(const Families& families, std::string_view path);

// A family file for a table that none describes, as far as the table says it: to be finished by
// hand. `name`: the table's file name. `untuned`: the text of its untuned table, whose columns
// become the shape; "": the columns before the first that names a kernel, a library or a time do.
// Types follow from the values of all rows. The lookup is "exact", the metric "none". Errors: those
// of CheckTableText and CsvReader, bad_family where the columns make none (no gfx, say).
Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned);

}  // namespace tunehub::core
