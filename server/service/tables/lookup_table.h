// The rows of a set as AITER looks them up.
#pragma once

#include "core/lookup/table.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {

// It views the lines of the rows, which must outlive it.
lookup::Table LookupTable(const RowSet& set);

}  // namespace tunehub::service
