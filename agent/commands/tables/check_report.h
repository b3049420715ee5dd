// How `check` says what it found.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include "agent/commands/tables/check_tables.h"

namespace tunehub::agent {

// At most `most` rows of each kind; every table that was not read.
void PrintCheckText(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread, std::size_t most);
void PrintCheckJson(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread);

}  // namespace tunehub::agent
