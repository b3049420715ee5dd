// gpu-bench's results of one shape.
#pragma once

#include <string>
#include <vector>

#include "kernels/config.h"
#include "kernels/problem.h"

namespace tunehub::bench {

struct Timed {
  kernels::Candidate candidate;
  double err_ratio = 1, frobenius = 1;
  double us = 0;             // 0: not timed; of a finalist by the finals, else by the screening
  bool finalist = false;     // timed in turn with the other finalists: comparable
  double hot = 0, cold = 0;  // of the best and the default
  std::string failed;        // why it was not timed
};

struct ShapeReport {
  kernels::Problem problem;
  std::string dtype;  // "e4m3", "int8", "bf16"
  std::size_t sets = 0;
  double load_ms = 0;
  std::vector<Timed> timed;  // the first is the default

  const Timed* best() const;  // of the finalists; null: none was correct
};

// One line of CSV per shape; with `all` one per candidate.
void PrintHeader();
void Print(const ShapeReport& report, bool all);

}  // namespace tunehub::bench
