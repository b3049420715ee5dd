// The options of GET /tuned/{family}, each with its name and what it may be.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

struct TunedOption {
  std::string_view name;
  // Writes the value of the option `name` into the query. Errors: bad_parameter, bad_max_err or
  // bad_build_name, with what is allowed.
  core::Status (*parse)(TunedQuery& query, std::string_view name, std::string_view value);
  bool repeats = false;  // may come more than once in a request
  bool of_runs = false;  // a version that runs say
};

// Before the name of a version: "run.triton" asks the runs, whatever columns the family has.
inline constexpr std::string_view kOfRuns = "run.";

std::span<const TunedOption> TunedOptions();

// Whether the query's options go together. Errors: bad_parameter.
core::Status CheckTogether(const TunedQuery& query, const core::Family& family);

// One text per set of queries that have one answer; sorts the query's lists. What only changes the
// answer's headers is left out.
std::string CanonicalText(TunedQuery& query);

}  // namespace tunehub::server
