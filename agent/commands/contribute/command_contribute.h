// tunehub-agent contribute --model M TREE: what was measured and upstream's tree does not have, as
// files for a pull request.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "agent/commands/contribute/local_offer.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct ContributeOptions {
  std::string tree, model, file, reader;  // reader "": what the tree is
  std::vector<std::string> against;
  LocalResults results;
  std::vector<std::string> measured;  // CSVs of times of AITER's Triton configs
  std::string output;                 // a folder for the files that change; "": none
  bool in_place = false;              // the tree's own
  std::string text;                   // a file for the pull request's words; "": standard output
  bool json = false;
};

// Files and text as the options say. Errors: file_unwritable; file_differs (the output folder has
// such a file, which is not the tree's).
core::Status WriteContribution(const ContributeOptions& options, const Contribution& contribution,
                               const std::string& text);

int RunContribute(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
