// Two files as the sides of a comparison, each in whatever form it is.
#pragma once

#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "core/analysis/compare.h"
#include "core/base/result.h"

namespace tunehub::agent::tuning {

struct ComparedFiles {
  std::string base, head;
  std::string family;  // "": what the files say
  std::string unit;    // of times whose column names none; "": nobody says
};

struct ComparedSides {
  analysis::Side base, head;
  std::vector<std::string> remarks;
};

// As tables of the family that either of them is of, else by the kernels and shapes that the rows
// name. Errors: those of core::FileBytes, ReadSide, ReadShapeRows and CommonFamily.
core::Result<ComparedSides> ReadSides(const Configuration& configuration,
                                      const ComparedFiles& files);

}  // namespace tunehub::agent::tuning
