// The runs that a query takes measurements of, by what they say of themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/family/devices.h"
#include "server/service/tables/tuned_query.h"
#include "server/store/store.h"

namespace tunehub::service {

struct RunChoice {
  std::vector<std::int64_t> matching;        // in all that is demanded
  std::vector<std::int64_t> preferred;       // of those
  std::vector<std::int64_t> unknown, other;  // the rest
};

// Error unknown_source. Throws Unavailable.
core::Result<RunChoice> ChooseRuns(const TunedQuery& query, store::Store& store,
                                   const core::Devices& devices);

}  // namespace tunehub::service
