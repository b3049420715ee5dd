// What goes to AITER's own tree: rows of its tuned tables, and buckets of its Triton configs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/command_contribute.h"
#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"

namespace tunehub::agent {

inline constexpr std::string_view kAiterReader = "aiter";

// All that AITER reads of the tree.
std::vector<const core::Family*> FamiliesOfAiter(const Configuration& configuration,
                                                 const std::string& tree);

// Tuned tables and Triton configs are two kinds of files of one tree. Errors: those of
// ContributeToAiter and ContributeBuckets, and of reading options.measured.
core::Result<Contribution> ContributeToAiterTree(const Configuration& configuration,
                                                 const ContributeOptions& options, Offer offer);

}  // namespace tunehub::agent
