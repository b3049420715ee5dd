// What was read in a reader's tree, in words and as JSON.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "core/readers/tree_reader.h"

namespace tunehub::agent {

// `all`: every finding, not only the first of each kind.
void PrintReading(const core::Reader& reader, const core::TreeReading& reading, bool all,
                  std::ostream& out);

nlohmann::ordered_json ReportOf(const core::Reader& reader, const core::TreeReading& reading);

}  // namespace tunehub::agent
