// `bench --suite`: AITER's Triton benches in two environments, and what became slower.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/search/tune_options.h"

namespace tunehub::agent {

struct SuiteOptions {
  std::string suite, timing;
  std::vector<std::string> environments;
  bool fail_on_regress = false;
};

void AddSuiteOptions(cli::CommandLine& line, SuiteOptions& suite);

// `options.given` is filled. Options that a suite does not heed are refused.
int BenchSuite(const SuiteOptions& suite, const TuneOptions& options, Console& console);

}  // namespace tunehub::agent
