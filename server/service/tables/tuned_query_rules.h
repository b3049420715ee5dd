// What concerns several options of a query at once.
#pragma once

#include <string>

#include "core/base/result.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

// Whether the query's options go together. Errors: bad_parameter.
core::Status CheckTogether(const TunedQuery& query, const core::Family& family);

// One text per set of queries that have one answer; sorts the query's lists. What only changes the
// answer's headers is left out.
std::string CanonicalText(TunedQuery& query);

}  // namespace tunehub::service
