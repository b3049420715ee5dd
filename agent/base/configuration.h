// The family files, targets and models that the commands work by: those that the program carries,
// or a folder's.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/base/text_folder.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::agent {

struct Configuration {
  core::Families families;
  core::Targets targets;
  core::TextFolder models, heuristics;
  std::filesystem::path folder;  // that they are from; "": compiled in
};

// `folder` holds families/ and targets.json, and may hold models/ and heuristics/. Empty:
// $TUNEHUB_CONFIGS, else what is compiled in. Errors: no_configs, bad_family, bad_targets.
core::Result<Configuration> LoadConfiguration(const std::string& folder);

}  // namespace tunehub::agent
