// Made tables by (family, query, revision, encoding).
#pragma once

#include "server/service/registry/kept.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {

using TableCache = Kept<TableBytes>;

}  // namespace tunehub::service
