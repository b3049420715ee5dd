// New rows for AITER's tuned tables: which of them go into which file of a tree, held against what
// AITER itself refuses.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

struct AiterSite {
  std::filesystem::path tree;             // a checkout of AITER, or its aiter/configs
  std::string model;                      // by which upstream names the file
  std::string file;                       // inside the configs folder; "": the model's
  std::vector<std::string> against;       // other trees or tables whose keys are taken as well
  const core::Manifest* build = nullptr;  // what the tree can run; null: nobody knows
};

// AITER's test of its tables fails on rows with more wrong elements.
inline constexpr double kTableTestError = 0.2;

// The tree is read and left as it is. Errors: no_aiter_configs and those of reading its tables;
// bad_model_name, ambiguous_file, bad_file_name; guard_failed (what AITER's guards say of the files
// as they would be).
core::Result<Contribution> ContributeToAiter(const Configuration& configuration, Offer offer,
                                             const AiterSite& site);

}  // namespace tunehub::agent
