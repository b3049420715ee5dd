// New rows for the files of vLLM or SGLang: in the file that the reader's grammar names, beside the
// members that are there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct ReaderSite {
  const core::Reader* reader = nullptr;
  std::filesystem::path tree;        // a checkout, site-packages, or a config folder
  std::vector<std::string> against;  // other such trees, whose members are taken as well
};

// The tree is read and left as it is. Rows of other engines, rows that no file of the reader can
// hold and members that a file has already are left out. Errors: no_folder (the tree has no config
// folder of the store), those of reading its files, guard_failed.
core::Result<Contribution> ContributeToReader(Offer offer, const ReaderSite& site);

}  // namespace tunehub::agent
