// A tuned row as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/family/family.h"
#include "server/service/registry/snapshot.h"

namespace tunehub::service {

// Its cells, with its target (where that is no cell), standing and provider beside. Not why it won:
// that changes with rows that lose, and so without a revision (/shapes tells it).
nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row);

}  // namespace tunehub::service
