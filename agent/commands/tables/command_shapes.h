// tunehub-agent shapes --model M --tp N --family F: the untuned table of what serving a model asks
// for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"

namespace tunehub::agent {

struct ShapesOptions {
  std::string model;  // a name in configs/models, or a config.json
  std::int64_t tp = 1;
  std::string family;
  std::string grid = "gl0";
  std::string dtype;                 // core::ShapeOptions
  std::string gfx;                   // tells which fp8
  bool fuse_shared_experts = false;  // core::ShapeOptions
  std::vector<std::string> columns;  // "bias=True"
  std::string output;                // "": the standard output
};

int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console);

int RunShapes(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
