// What a model makes of each pair of a coverage: which layer it is, and how much work.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tunehub::analysis {

struct PairLayer {
  std::string name;         // the first layer that makes it
  double flops = 0;         // core::FlopsPerToken of all that do
  std::int64_t layers = 0;  // how many do; one where the config does not say
};

// By the cells of Coverage::columns.
using PairLayers = std::map<std::vector<std::string>, PairLayer>;

}  // namespace tunehub::analysis
