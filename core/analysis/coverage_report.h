// Coverage as JSON, for a heat map, and as CSV, a line a shape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/analysis/coverage.h"
#include "core/analysis/model_coverage.h"

namespace tunehub::analysis {

// {"family","columns","buckets","pairs","cells","headline","totals"}
nlohmann::ordered_json CoverageJson(const core::Family& family, const Coverage& coverage,
                                    const PairLayers& layers = {});

// The shape columns, then state, demand, and of the row that is found its step, padded column, time
// and kernels. `states`: which to write; empty: all.
std::string CoverageCsv(const lookup::Table& table, std::span<const core::ShapeDemand> shapes,
                        const Coverage& coverage, std::span<const State> states = {});

// One of the names of State; error bad_state, with those there are.
core::Result<State> ParseState(std::string_view name);

}  // namespace tunehub::analysis
