// Parts of one table that can be read by themselves, in any order.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/table/table_header.h"

namespace tunehub::core {

// A table's header and the places between which its rows are cut.
struct CutTable {
  TableHeader header;
  std::size_t line = 0;              // of the first row
  std::vector<std::size_t> borders;  // bytes; chunk i goes from borders[i] to borders[i + 1]
};

// Cuts behind the header and then at line ends, every `chunk_bytes` or a little more. Where a quote
// stands among the rows, a line end may be part of a cell: then all rows are one chunk. Nothing:
// the table has no header that the family knows; reading it whole says why.
std::optional<CutTable> CutIntoChunks(const Family& family, std::string_view csv,
                                      std::size_t chunk_bytes);

}  // namespace tunehub::core
