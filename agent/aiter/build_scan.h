// What an AITER tree can run: now, from its lookup headers, libraries and code objects, and built
// again, from its candidate lists.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

struct ScanOptions {
  std::filesystem::path folder;
  // Absent: tree where there are libraries or lookup headers of known modules, and candidate lists;
  // compiled or buildable where only those or these are there.
  std::optional<core::BuildKind> kind;
  std::vector<std::string> gfxs;  // for candidate lists; empty: every one that AITER builds for
};

// Where a tree keeps code objects, by architecture.
inline constexpr std::string_view kCodeObjects = "hsa/";

// A module that the tree has nothing of.
struct AbsentModule {
  std::string module;
  std::string place;  // where it would be: "hsa/", "aiter/ops/flydsl"
};

struct BuildScan {
  core::Manifest manifest;
  std::vector<AbsentModule> absent;
  std::vector<std::string> unread;  // files that should tell and could not be read, and why
};

// Errors: no_kernels, with the places that were looked at.
core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options);

}  // namespace tunehub::agent
