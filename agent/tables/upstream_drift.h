// What a tree of AITER has that this version does not know: tables, columns, libtypes, kernels, log
// lines, Triton configs.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <tuple>

#include "agent/base/configuration.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct Unknown {
  std::size_t count = 0;  // rows, files or lines
  std::string first;      // where it stands first: a file, or FILE:LINE
};

// By kind ("table", "column", "libtype", "kernel", "row", "log line", "triton"), by the family or
// folder, by the name.
using Drift = std::map<std::tuple<std::string, std::string, std::string>, Unknown>;

// Errors: those of ReadTableFolder.
core::Result<Drift> DriftOf(const Configuration& configuration, const std::filesystem::path& tree);

void PrintDriftText(const Drift& drift, std::ostream& out);
void PrintDriftJson(const Drift& drift, std::ostream& out);

}  // namespace tunehub::agent
