// What the example is asked for on its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tunehub::example {

struct Options {
  std::string source;  // http://HUB, or a tuned table's file
  std::string family = "a8w8_blockscale";
  std::string columns;             // th_shape::columns
  std::string model;               // a name in configs/models, or a config.json
  std::int64_t tp = 1;             // GPUs that the model is split over
  std::vector<std::string> gemms;  // "NxK", instead of a model
  std::vector<int> ms = {1, 16, 64, 256, 1024, 4096};
  std::string configs;  // folder with families/ and models/; "": found
  std::string gfx;      // "": the current GPU's
  int cu_num = 0;
  bool lookup_only = false;
  int repetitions = 15;
};

// The exit status, where the arguments end the program.
std::optional<int> ParseOptions(int argc, char** argv, Options& options);

}  // namespace tunehub::example
