// The words that go with a contribution: what is new, before and after, on which device, with which
// toolchain, how it was measured.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "agent/commands/contribute/contribution.h"
#include "core/family/targets.h"

namespace tunehub::agent {

// More rows are in the files; a page of a review has room for these.
inline constexpr std::size_t kMostListedRows = 200;

// Markdown. What nobody recorded is said to be so. Names of hosts, campaigns and notes are a
// cluster's own and stay out.
std::string PullRequestText(const core::Targets& targets, std::string_view model,
                            const Contribution& contribution,
                            std::span<const nlohmann::ordered_json> runs);

}  // namespace tunehub::agent
