// Loads the configuration of the commands: family files, targets, readers, models and suites. They
// are compiled into the program or come from a folder.
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
  std::filesystem::path folder;  // the folder that was read; "": the configuration is compiled in
  core::Readers readers = {};
  std::vector<core::EngineReads> engines = {};  // the first is the default; a folder may have none
  core::TextFolder suites = {};
};

// `folder` has families/, targets.json and devices.json, and may have readers/, models/,
// heuristics/, suites/ and engines.json. If it is "", reads $TUNEHUB_CONFIGS, else the compiled-in
// files. Errors: no_configs, bad_family, bad_targets, bad_reader, bad_engines.
core::Result<Configuration> LoadConfiguration(const std::string& folder);

}  // namespace tunehub::agent
