// tunehub-agent coverage --table FILE --model M --tp N: how much of what an engine reads is tuned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/analysis/model_coverage.h"

namespace tunehub::agent {

struct CoverageOptions {
  std::vector<std::string> tables;
  std::string family;  // its table alone, as if the model asked it; "": all that the engine reads
  std::string gfx;
  int cu_num = 0;  // 0: the usual one
  std::string model;
  std::int64_t tp = 1;
  std::string grid = "gl0";
  std::int64_t max_m = analysis::kDefaultMaxM;
  std::string dtype;                // how it is stored; "": as its config says
  std::string engine;               // "": the usual one
  std::string rocm;                 // "": the newest
  std::string untuned;              // an untuned table in place of a model
  std::vector<std::string> states;  // of the CSV's lines; empty: all
  bool strict = false;              // what is not known of the model's config is an error
  bool json = false;
  bool csv = false;
};

// kFinding where a shape has no measured row.
int Coverage(const Configuration& configuration, const CoverageOptions& options, Console& console);

int RunCoverage(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
