// What a model makes of each pair of a coverage: which layer it is, and how much work.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tunehub::analysis {

struct PairLayer {
  std::string name;  // the first layer that makes it
  double flops = 0;  // core::FlopsPerToken of all that do
};

// By the cells of Coverage::columns.
using PairLayers = std::map<std::vector<std::string>, PairLayer>;

}  // namespace tunehub::analysis
