// The kernels that a module's candidate list may compile. The list is a Python file whose names are
// made by its classes, so Python reads it.
#pragma once

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "agent/aiter/kernel_names.h"
#include "core/base/result.h"

namespace tunehub::agent {

// Lists are read in a fraction of a second; one that waits for a GPU must not hold up a build.
inline constexpr std::chrono::seconds kCandidateListLimit{60};

// Runs python3 with the list of `file`, told that the GPU is a `gfx`, with nothing behind the
// imports that need one (torch, aiter, chip_info). Takes the entries of its dictionaries from
// number to kernel; where some are called candidate_kernels..., of those alone, since the others
// are what they were made of. Errors: child_unstartable, candidates_unreadable (with Python's last
// words).
core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx);

}  // namespace tunehub::agent
