// Brings a batch's rows into the session's temporary table by COPY.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <pqxx/pqxx>

#include "server/registry/fold.h"

namespace tunehub::store {

// Row i gets the id `first_id` + i. `versions`: the family version in force, by family number.
void Stage(pqxx::work& transaction, const std::vector<registry::StagedRow>& rows,
           std::int64_t first_id, const std::map<std::int16_t, int>& versions);

}  // namespace tunehub::store
