#pragma once

#include <string>
#include <vector>

#include "kernels/config.h"
#include "kernels/problem.h"

namespace tunehub::bench {

struct Timed {
  kernels::Candidate candidate;
  double err_ratio = 1, frobenius = 1;
  double us = 0;             // 0: not timed. The finals replace the screening's time
  bool finalist = false;     // timed in the finals
  double hot = 0, cold = 0;  // of the best finalist and the default
  std::string failed;        // the reason why it was not timed
};

struct ShapeReport {
  kernels::Problem problem;
  std::string dtype;  // "e4m3", "int8", "bf16"
  std::size_t sets = 0;
  double load_ms = 0;
  std::vector<Timed> timed;  // the first is the default

  const Timed* best() const;  // the fastest finalist; null if no candidate was correct
};

// Prints one line of CSV per shape; with `all`, one per candidate.
void PrintHeader();
void Print(const ShapeReport& report, bool all);

}  // namespace tunehub::bench
