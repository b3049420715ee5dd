// tunehub-agent coverage --table FILE --model M --tp N: how much of what serving asks for is tuned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/analysis/model_question.h"

namespace tunehub::agent {

struct CoverageOptions {
  std::vector<std::string> tables;
  std::string family;  // "": what the tables tell
  std::string gfx;
  int cu_num = 0;  // 0: the usual one
  std::string model;
  std::int64_t tp = 1;
  std::string grid = "gl0";
  std::int64_t max_m = analysis::kDefaultMaxM;
  std::string untuned;              // an untuned table in place of a model
  std::vector<std::string> states;  // of the CSV's lines; empty: all
  bool json = false;
  bool csv = false;
};

// kFinding where a shape has no measured row.
int Coverage(const Configuration& configuration, const CoverageOptions& options, Console& console);

int RunCoverage(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
