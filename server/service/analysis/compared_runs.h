// The runs of one side of a comparison: by their numbers, or by what they were measured with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/compared_side.h"
#include "core/base/result.h"
#include "server/store/store.h"

namespace tunehub::service {

// An environment has at most as many runs: more are no side of a comparison but the registry.
inline constexpr std::size_t kMostRuns = 256;

// "12,13": runs. "rocm:7.0.1,aiter:abc": the runs in force whose provenance says so.
struct SideQuery {
  std::vector<std::int64_t> runs;
  std::vector<std::pair<std::string, std::string>> environment;
};

// Error bad_parameter, with `name` and what is allowed.
core::Result<SideQuery> ParseSide(std::string_view name, std::string_view text);

// Errors: unknown_run, no_runs, too_many_runs. Throws Unavailable.
core::Result<std::vector<store::RunRecord>> FindRuns(store::Store& store, const SideQuery& query);

// The facts that a run says of itself, in its JSON.
analysis::Environment EnvironmentOf(const std::string& provenance);

// What all of them say alike; where they differ, the values, and that the side is mixed.
void AddEnvironment(const std::vector<store::RunRecord>& runs, analysis::Side& side);

}  // namespace tunehub::service
