// The options of GET /tuned/{family}, with names and allowed values.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

struct TunedOption {
  std::string_view name;
  // Writes the value of the option `name` into the query. Errors, with the allowed values:
  // bad_parameter, bad_max_err, bad_build_name.
  core::Status (*parse)(TunedQuery& query, std::string_view name, std::string_view value);
  bool repeats = false;  // true: may occur more than once in a request
  bool of_runs = false;  // true: a version in a run's provenance
};

// The prefix of a version's name. "run.triton" filters runs even if the family has a column triton.
inline constexpr std::string_view kOfRuns = "run.";

std::span<const TunedOption> TunedOptions();

// Checks that the options fit together. Errors: bad_parameter.
core::Status CheckTogether(const TunedQuery& query, const core::Family& family);

// Returns a text that is equal for queries whose answers have the same bytes. Leaves out options
// that change only headers. Also sorts the query's lists.
std::string CanonicalText(TunedQuery& query);

}  // namespace tunehub::server
