// Judging again: a family file or targets.json has changed, so standings, order or columns may
// differ.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::store {

// Every measurement of the named families, in one revision, whose number it answers; `current` is
// recorded as the version in force. Errors: keys_would_change, stored_line_unreadable.
core::Result<std::int64_t> Reclassify(pqxx::work& transaction,
                                      const std::vector<std::string>& names,
                                      const core::Families& current, const core::Targets& targets);

}  // namespace tunehub::store
