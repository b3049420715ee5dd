// A row that has one field fewer than its header, before the tag.
#pragma once

#include <cstddef>
#include <optional>

#include "core/family/family.h"
#include "core/table/csv.h"
#include "core/table/table_header.h"

namespace tunehub::core {

// Which field of the header such a row lacks, where putting it in changes nothing that AITER's
// lookup reads of the row. AITER reads what is there by position, so that everything from the gap
// on is its neighbour's value: the gap, and all behind it, must be columns that no lookup reads,
// and the tag empty on both readings. Nothing where no such gap makes every cell fit its column, or
// more than one does.
std::optional<std::size_t> FindGap(const Family& family, const TableHeader& header,
                                   const CsvRecord& record);

}  // namespace tunehub::core
