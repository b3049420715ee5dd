// Tuned tables of the command line, merged as AITER would, as its lookup sees them.
#pragma once

#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/lookup/loaded_table.h"

namespace tunehub::agent {

// `family` "": what the files tell. Errors: those of reading, CommonFamily and LoadTable.
core::Result<lookup::LoadedTable> ReadLookupTable(const Configuration& configuration,
                                                  const std::string& family,
                                                  const std::vector<std::string>& files);

}  // namespace tunehub::agent
