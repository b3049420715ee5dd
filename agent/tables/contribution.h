// What `check` finds in the files of one family: everything that AITER trips over, or never reads.
// Measured rows that an AITER tree does not have, or has slower, in the files that they go to, and
// what may not go there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/configuration.h"
#include "agent/base/terminal.h"
#include "agent/hub/hub_client.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/families.h"
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

// A row that is not given back, and why.
struct LeftOut {
  std::string family;
  std::string key, code, detail;  // key: as KeyOfLine says it
};

struct Offer {
  std::vector<std::pair<const core::Family*, std::vector<core::Row>>> rows;  // one a key
  std::vector<LeftOut> left_out;
};

struct AiterSite {
  std::string tree;                  // a checkout of AITER, or its aiter/configs
  std::string model;                 // by which upstream names the file
  std::string file;                  // inside the configs folder; "": the model's
  std::vector<std::string> against;  // other trees or tables whose keys are taken as well
};

struct ContributedRow {
  core::Row row;
  std::size_t line = 0;  // of the tree's row in whose place it goes; 0: its key is new
  std::optional<double> before_us = {};  // what that row was measured with; absent: it was not

  double Speedup() const { return before_us ? *before_us / row.us : 0; }  // 0: nobody knows
};

struct ContributedFile {
  const core::Family* family = nullptr;
  std::string path;    // below the tree
  bool fresh = false;  // the tree has no such file
  std::string before;  // its bytes there
  std::string bytes = {};
  std::vector<ContributedRow> rows = {};

  std::size_t replaced() const;  // of the rows
};

struct Contribution {
  std::vector<ContributedFile> files;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
  bool has_kernels = false;  // the tree told which kernels it has, and has every row's
};

// The tables at `paths`, and those of trees there, each by its path and read. `family` "": what a
// table says. Errors: those of ReadTableFolder, FileBytes and FamilyOf.
core::Result<std::vector<FamilyFiles>> ReadTables(const core::Families& families,
                                                  const std::string& family,
                                                  const std::vector<std::string>& paths);
// The best row of each key; what nobody may use is left out. Errors: those of MergeTables.
core::Result<Offer> OfferOfTables(const Configuration& configuration,
                                  const std::vector<FamilyFiles>& tables);
// Rows of AITER's kernels that were measured and are no mere baseline. `named` empty: of all its
// families, those without a shape of the model passed over. `filters` are GET /tuned's. Errors:
// what the hub answered; unknown_family; those of ReadTunedTable.
core::Result<Offer> OfferOfHub(const Configuration& configuration, HubClient& hub,
                               const RetryPolicy& retry, const Pauses& pauses,
                               const std::vector<std::string>& named, const Parameters& filters);

// The tree is read and left as it is. Errors: no_aiter_configs and those of reading its tables;
// no_table, bad_model_name, ambiguous_file, bad_file_name; guard_failed (what AITER's guards say of
// the files as they would be).
core::Result<Contribution> ContributeToAiter(const Configuration& configuration, const Offer& offer,
                                             const AiterSite& site);

// A line a file, behind what was left out by its reason.
void PrintContribution(std::ostream& out, const Contribution& contribution);
// {"files": [{"path", "new", "family", "rows": [{"key", "us", "line"}]}],
//  "left_out": [{"family", "key", "code", "detail"}], "warnings": [...]}
nlohmann::ordered_json ContributionJson(const Contribution& contribution);
// Markdown for the pull request. Of what a hub sent it has known GPUs, counts, and times of keys
// that the tree has too.
std::string PullRequestText(const core::Targets& targets, const std::string& model,
                            const Contribution& contribution);

// One file of AITER's tuned tables: which it is by the names that upstream gives, rows put behind
// its own, and what AITER would say of it then.

// A family's files by name, inside the configs folder.
using FamilyTexts = std::map<std::string, std::string>;

// Errors: bad_model_name (a character that no file of upstream's has, "untuned", which AITER passes
// over, or a word that makes the name another family's).
core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model);
// The file for a row of the model. Where the tree has none, a new one with the token last, as
// AITER's code generators match it: "model_configs/dsv3_bf16_tuned_gemm.csv". Names are compared
// without case, and '-', '.' and '_' are one. Error ambiguous_file: several are the model's.
core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const core::Cells& cells, const FamilyTexts& tree);
// Of a file that was named: that AITER reads it for the family, and for no other. Errors:
// bad_file_name, with the rule.
core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name);

// Makes `file.bytes` of `file.before` and the rows, in its own columns: a row with a line goes in
// that line's place, the others behind all. A fresh file has the family's columns. A row that needs
// a column that the table lacks is left out: AITER fills an absent one with 0, and gfx from the CU
// count. Errors: those of MapHeader.
core::Status PutRows(const core::Targets& targets, const std::vector<ContributedRow>& rows,
                     ContributedFile& file, std::vector<LeftOut>& left_out);

// `texts` are as they would be: AITER's merge raises at a key that two rows have, its test of the
// default files fails on times and errors. Errors: guard_failed, with the guard, file and row.
core::Status HoldAgainstGuards(const Configuration& configuration, const ContributedFile& file,
                               const FamilyTexts& texts);

}  // namespace tunehub::agent
