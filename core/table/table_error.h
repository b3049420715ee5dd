// What is wrong with a table, and where: the detail begins with the place, Error::place has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

// "line 3: a git conflict marker". `column`: whose name it is about; "": none.
Error AtLine(std::string code, std::size_t line, std::string_view what,
             std::string_view column = {});

// "line 3, field 9: a NUL byte".
Error AtField(std::string code, std::size_t line, std::size_t field, std::string_view what);

// "line 1: the column 'gfx' comes twice".
Error DuplicateColumn(std::size_t line, std::string_view column);

// "line 9: more than 8 rows".
Error TooManyRows(std::size_t line, std::size_t most);

// A field of `bytes`, more than `most`.
Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most);

// The error with the column's name, where it has a field to which the header of `csv` gives one.
Error NameColumn(Error error, std::string_view csv);

}  // namespace tunehub::core
