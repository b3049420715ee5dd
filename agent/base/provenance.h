// Reads the provenance of a new run from the command line: assignments (--new-run host=x cu_num=304
// facts.async_copy=1) or files of environments.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/environment.h"
#include "core/base/result.h"

namespace tunehub::agent {

// Each text is NAME=VALUE or the path of a JSON file. A text is a path if it has no '=', or no
// fact's name before the '='. Errors: bad_arguments, two_values, those of core::FileBytes and
// analysis::ParseEnvironment.
core::Result<analysis::Environment> FactsOf(const std::vector<std::string>& given);

// The JSON object for POST /runs. Defaults: `host`, `agent`, and `started` = `now`, so that a batch
// that waits in a spool keeps its place among the runs. Errors: bad_provenance, with the allowed
// names.
core::Result<nlohmann::json> ProvenanceOf(const std::vector<std::string>& given,
                                          const std::string& now);

// A fact as an assignment for --new-run: "rocm=7.0.1", "facts.async_copy=1".
std::string RunMember(std::string_view fact, std::string_view value);

}  // namespace tunehub::agent
