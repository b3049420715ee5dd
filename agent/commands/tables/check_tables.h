// What `check` finds in the files of one family: everything that AITER trips over, or never reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/remark.h"
#include "core/builds/manifest.h"
#include "core/family/targets.h"
#include "core/merge/merge.h"

namespace tunehub::agent {

struct RefusedFile {
  std::string file;
  core::Error error;
};

// A table of the tree that AITER reads for no family.
struct UnreadTable {
  std::string file, why;
};

struct FamilyFindings {
  const core::Family* family = nullptr;
  std::vector<std::string> files;  // Place::file of `duplicates` is an index into it
  std::size_t rows = 0;
  std::size_t inferred_gfx = 0;  // rows without gfx, backfilled from the CU count
  std::vector<RefusedFile> refused;
  std::vector<core::Duplicate> duplicates;
  std::vector<Remark> rejected, quarantined;  // rows that nobody may use
  std::vector<Remark> unmeasured;             // rows whose time is not to be believed
  std::vector<Remark> warnings;               // what AITER passes over: rows, columns, files
  std::vector<Remark> test_failures;          // of AITER's own table test; where it was asked
  std::vector<Remark> unbuilt;                // rows whose kernel the build lacks

  bool clean() const {
    return refused.empty() && duplicates.empty() && rejected.empty() && quarantined.empty() &&
           unbuilt.empty() && test_failures.empty();
  }
};

struct CheckRules {
  const core::Manifest* build = nullptr;  // null: every kernel counts as there
  bool table_test = false;                // also what AITER's own test of its tables fails on
};

FamilyFindings CheckFamily(const FamilyFiles& files, const core::Targets& targets,
                           const CheckRules& rules = {});

// Says of a table that AITER never reads it, as its name lacks the token of the family that its
// header is of.
void AddMisnamed(FamilyFindings& findings, const std::string& file);

}  // namespace tunehub::agent
