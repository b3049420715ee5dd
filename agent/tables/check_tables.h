// What `check` finds in the files of one family: everything that AITER trips over, or never reads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/configuration.h"
#include "agent/base/terminal.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/merge.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// What AITER's own test of its tables (op_tests/tuning_tests/test_csv_validation.py) fails on,
// beyond what makes a table unfit to be read: times that are not above 0, and rows that are
// duplicates to it because its key leaves the gfx out.
// Of the rows of one file. Errors above a limit, conflict markers and rows that cannot be read are
// not among them: `check` fails on those in any case.
void AddTestFailures(const core::Family& family, const std::string& file,
                     const core::TunedTable& table, std::vector<Remark>& failures);

// conflicting: gfx=gfx942 cu_num=304 M=16 N=1280 K=8192
//   kept     a.csv:12  us=4.1 kernelName=x
//   dropped  b.csv:7   us=5.2 kernelName=y
void PrintDuplicate(std::ostream& out, const core::Family& family,
                    std::span<const std::string> files, const core::Duplicate& duplicate);

// {"identical": false, "key": {"M": "16", ...}, "rows": [{"file", "line", "kept", "text"}]}
nlohmann::ordered_json ToJson(const core::Family& family, std::span<const std::string> files,
                              const core::Duplicate& duplicate);

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

// At most `most` rows of each kind; every table that was not read.
void PrintCheckText(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread, std::size_t most);
void PrintCheckJson(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread);

// What a tree of AITER has that this version does not know: tables, columns, libtypes, kernels, log
// lines, Triton configs.
struct Unknown {
  std::size_t count = 0;  // rows, files or lines
  std::string first;      // where it stands first: a file, or FILE:LINE
};

// By kind ("table", "column", "libtype", "kernel", "row", "log line", "triton"), by the family or
// folder, by the name.
using Drift = std::map<std::tuple<std::string, std::string, std::string>, Unknown>;

// Errors: those of ReadTableFolder.
core::Result<Drift> DriftOf(const Configuration& configuration, const std::filesystem::path& tree);

void PrintDriftText(const Drift& drift, std::ostream& out);
void PrintDriftJson(const Drift& drift, std::ostream& out);

}  // namespace tunehub::agent
