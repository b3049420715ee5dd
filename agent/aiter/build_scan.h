// What an AITER tree can run: now, from its lookup headers, libraries and code objects, and built
// again, from its candidate lists.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/built_modules.h"
#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// The kernels that a module's candidate list may compile. The list is a Python file whose names are
// made by its classes, so Python reads it.
// Runs python3 with the list of `file`, told that the GPU is a `gfx`, with nothing behind the
// imports that need one (torch, aiter, chip_info). Takes the entries of its dictionaries from
// number to kernel; where some are called candidate_kernels..., of those alone, since the others
// are what they were made of. Errors: child_unstartable, candidates_unreadable (with Python's last
// words).
core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx);

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
