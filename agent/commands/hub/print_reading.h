// What was read in a reader's tree, in words.
#pragma once

#include <iosfwd>

#include "core/readers/tree_reader.h"

namespace tunehub::agent {

// `all`: every finding, not only the first of each kind.
void PrintReading(const core::Reader& reader, const core::TreeReading& reading, bool all,
                  std::ostream& out);

}  // namespace tunehub::agent
