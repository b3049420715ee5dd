// What an AITER tree can run, from its candidate lists, or its lookup headers and libraries, and
// its code objects.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.h"
#include "core/manifest.h"

namespace tunehub::agent {

struct ScanOptions {
  std::filesystem::path folder;
  // Absent: compiled where the tree has libraries or lookup headers of known modules.
  std::optional<core::BuildKind> kind;
  std::vector<std::string> gfxs;  // for candidate lists; empty: every one that AITER builds for
};

struct BuildScan {
  core::Manifest manifest;
  std::vector<std::string> unread;  // files that should tell and could not be read, and why
};

// Errors: no_kernels, with the places that were looked at.
core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options);

}  // namespace tunehub::agent
