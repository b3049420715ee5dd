// The family files and targets.json that the commands work by.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"

namespace tunehub::agent {

struct Configuration {
  core::Families families;
  core::Targets targets;
  std::filesystem::path folder;  // that has both, and models/
};

// `folder` holds families/ and targets.json. Empty: $TUNEHUB_CONFIGS, else the first that exists of
// the checkout that the binary was built in, the prefix that it was installed to, and the source
// tree. Errors: no_configs (names the places), bad_family, bad_targets.
core::Result<Configuration> LoadConfiguration(const std::string& folder);

std::filesystem::path ExecutableFolder();

}  // namespace tunehub::agent
