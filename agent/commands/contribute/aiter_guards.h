// What AITER itself would say of tables as a contribution leaves them: its merge raises at a key
// that two rows have, its test of the default files fails on times and errors, and a row is read as
// it was measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::agent {

// The family's files by name, as they would be.
using FamilyTexts = std::map<std::string, std::string>;

// Errors: guard_failed, with the guard, the file and the row.
core::Status HoldAgainstGuards(const core::Families& families, const core::Targets& targets,
                               const ContributedFile& file, const FamilyTexts& texts);

// The guards, a line each.
std::vector<std::string> GuardNames();

}  // namespace tunehub::agent
