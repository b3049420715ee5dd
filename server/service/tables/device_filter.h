// What device= means for a family.
#pragma once

#include "core/base/result.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

// Where the device is a column of the family, the query's devices become a filter of it: a product
// stands for all its aliases and another name for itself. Elsewhere they become the products whose
// runs are meant. Errors: bad_parameter, where nobody knows a name or several devices share it.
core::Status SettleDevices(TunedQuery& query, const core::Family& family,
                           const core::Devices& devices);

}  // namespace tunehub::service
