// The family files, targets, readers, models and suites that the commands work by: those that the
// program carries, or a folder's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/readers/reader.h"
#include "core/shapes/engine_reads.h"

namespace tunehub::agent {

struct Configuration {
  core::Families families;
  core::Targets targets;
  core::TextFolder models, heuristics;
  std::filesystem::path folder;  // that they are from; "": compiled in
  core::Readers readers = {};
  std::vector<core::EngineReads> engines =
      {};  // the first is the usual one; a folder may have none
  core::TextFolder suites = {};
};

// `folder` holds families/, targets.json and devices.json, and may hold readers/, models/ and
// heuristics/, suites/ and engines.json. Empty: $TUNEHUB_CONFIGS, else what is compiled in. Errors:
// no_configs, bad_family, bad_targets, bad_reader, bad_engines.
core::Result<Configuration> LoadConfiguration(const std::string& folder);

}  // namespace tunehub::agent
