// tunehub-agent shapes --model M --tp N: the products of a model; with --family F the untuned table
// of what serving it asks for.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/shapes/model.h"

namespace tunehub::agent {

struct ShapesOptions {
  std::string model;  // a name in configs/models, a config.json, or its folder
  std::int64_t tp = 1, ep = 1, dp_attention = 1;
  std::string engine;  // core::Parallelism
  std::string aiter;   // core::ShapeOptions
  std::string family;  // "": the products themselves
  std::string grid = "gl0";
  std::string dtype;                 // core::ShapeOptions
  std::string gfx;                   // tells which fp8
  std::string device;                // where a family asks for its name
  bool fuse_shared_experts = false;  // core::ShapeOptions
  bool strict = false;               // what is not known of the config is an error
  std::vector<std::string> columns;  // "bias=True"
  std::string output;                // "": the standard output
};

// "note: ... (unknown_member)" of what is not known of the model. `strict`: the first is the error.
core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out);

// kFinding where an engine would refuse the split.
int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console);

int RunShapes(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
