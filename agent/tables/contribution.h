// Computes the findings of `check`, and the measured rows that `contribute` adds to AITER's files.
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

// Adds the failures of AITER's own table test (op_tests/tuning_tests/test_csv_validation.py): times
// that are not above 0, and rows that differ only in gfx. (The test does not compare gfx.) Leaves
// out errors above a limit, conflict markers and unreadable rows, because `check` always reports
// them.
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

// A table that AITER reads for no family, with the reason.
struct UnreadTable {
  std::string file, why;
};

struct FamilyFindings {
  const core::Family* family = nullptr;
  std::vector<std::string> files;  // indexed by Place::file of `duplicates`
  std::size_t rows = 0;
  // number of rows without gfx; AITER derives their gfx from the CU count
  std::size_t inferred_gfx = 0;
  std::vector<RefusedFile> refused;
  std::vector<core::Duplicate> duplicates;
  std::vector<Remark> rejected, quarantined;  // rows that cannot be used
  std::vector<Remark> unmeasured;             // rows whose time cannot be trusted
  std::vector<Remark> warnings;               // rows, columns and files that AITER skips
  std::vector<Remark> test_failures;          // rows that fail AITER's own table test, if requested
  std::vector<Remark> unbuilt;                // rows whose kernel the build lacks

  bool clean() const {
    return refused.empty() && duplicates.empty() && rejected.empty() && quarantined.empty() &&
           unbuilt.empty() && test_failures.empty();
  }
};

struct CheckRules {
  const core::Manifest* build = nullptr;  // null: assumes that every kernel exists
  bool table_test = false;                // also run AITER's own table test
};

FamilyFindings CheckFamily(const FamilyFiles& files, const core::Targets& targets,
                           const CheckRules& rules = {});

// Warns that AITER never reads the table, because its file name lacks the Family::token of the
// family of its header.
void AddMisnamed(FamilyFindings& findings, const std::string& file);

// Prints at most `most` rows of each kind, and all unread tables.
void PrintCheckText(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread, std::size_t most);
void PrintCheckJson(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread);

// An item of an AITER tree that this version does not know: a table, column, libtype, kernel, log
// line or Triton config.
struct Unknown {
  std::size_t count = 0;  // number of rows, files or lines
  std::string first;      // the first place: a file, or FILE:LINE
};

// By kind ("table", "column", "libtype", "kernel", "row", "log line", "triton"), then by family or
// folder, then by name.
using Drift = std::map<std::tuple<std::string, std::string, std::string>, Unknown>;

// Errors: those of ReadTableFolder.
core::Result<Drift> DriftOf(const Configuration& configuration, const std::filesystem::path& tree);

void PrintDriftText(const Drift& drift, std::ostream& out);
void PrintDriftJson(const Drift& drift, std::ostream& out);

// A row that `contribute` does not write, and the reason.
struct LeftOut {
  std::string family;
  std::string key, code, detail;  // `key`: KeyOfLine of the row
};

struct OfferedRows {
  std::vector<std::pair<const core::Family*, std::vector<core::Row>>> rows;  // one per shape key
  std::vector<LeftOut> left_out;
};

struct AiterSite {
  std::string tree;   // a checkout of AITER, or its aiter/configs
  std::string model;  // spelled as in the names of AITER's files
  std::string file;   // a file inside the configs folder; "": the model's file
  // trees or tables; `contribute` also leaves out the shape keys in them
  std::vector<std::string> against;
};

struct ContributedRow {
  core::Row row;
  // the line of the tree's file that this row replaces; 0: none
  std::size_t line = 0;
  std::optional<double> before_us = {};  // the replaced row's time; absent: not measured

  double Speedup() const { return before_us ? *before_us / row.us : 0; }  // 0: unknown
};

struct ContributedFile {
  const core::Family* family = nullptr;
  std::string path;    // relative to the tree's root
  bool fresh = false;  // true: the tree has no such file
  std::string before;  // the file's old bytes
  std::string bytes = {};
  std::vector<ContributedRow> rows = {};

  std::size_t replaced() const;  // number of replaced rows
};

struct Contribution {
  std::vector<ContributedFile> files;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
  // true: the tree lists its kernels and contains the kernel of every row
  bool has_kernels = false;
};

// Reads the tables at `paths` and in folders at `paths`. Names each file by its path. If `family`
// is "", finds the family of each table. Errors: those of ReadTableFolder, FileBytes and FamilyOf.
core::Result<std::vector<FamilyFiles>> ReadTables(const core::Families& families,
                                                  const std::string& family,
                                                  const std::vector<std::string>& paths);
// Returns the best usable row of each shape key. Errors: those of MergeTables.
core::Result<OfferedRows> OfferOfTables(const Configuration& configuration,
                                        const std::vector<FamilyFiles>& tables);
// Returns measured rows of AITER's kernels, without baselines. If `named` is empty, uses all of
// AITER's families that have a shape of the model. `filters`: the parameters of GET /tuned. Errors:
// the hub's; unknown_family; those of ReadTunedTable.
core::Result<OfferedRows> OfferOfHub(const Configuration& configuration, HubClient& hub,
                                     const RetryPolicy& retry, const Pauses& pauses,
                                     const std::vector<std::string>& named,
                                     const Parameters& filters);

// Reads the tree and does not change it. Errors: no_aiter_configs and those of reading its tables;
// no_table, bad_model_name, ambiguous_file, bad_file_name; guard_failed (AITER's tests would refuse
// the new files).
core::Result<Contribution> ContributeToAiter(const Configuration& configuration,
                                             const OfferedRows& offer, const AiterSite& site);

// Prints the rows that `contribute` leaves out, by reason. Then prints a line per file.
void PrintContribution(std::ostream& out, const Contribution& contribution);
// {"files": [{"path", "new", "family", "rows": [{"key", "us", "line"}]}],
//  "left_out": [{"family", "key", "code", "detail"}], "warnings": [...]}
nlohmann::ordered_json ContributionJson(const Contribution& contribution);
// Returns Markdown for the pull request. It shows only GPUs and numbers of rows from the hub. It
// shows times only for shape keys in the tree.
std::string PullRequestText(const core::Targets& targets, const std::string& model,
                            const Contribution& contribution);

// A family's files by name, inside the configs folder.
using FamilyTexts = std::map<std::string, std::string>;

// Errors: bad_model_name. The name contains a character that names of AITER's files never contain,
// or "untuned" (AITER skips such files), or the Family::token of another family.
core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model);
// Returns the file for a row of the model. The name of a new file ends with Family::token, as
// AITER's code generators require: "model_configs/dsv3_bf16_tuned_gemm.csv". Ignores case, and
// treats '-', '.' and '_' as equal. Errors: ambiguous_file (several files belong to the model).
core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const core::Cells& cells, const FamilyTexts& tree);
// Checks that AITER reads a file of this name for this family only. Errors: bad_file_name, with the
// rule.
core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name);

// Makes `file.bytes` from `file.before` and the rows, in the file's columns. A row with a line
// number replaces that line. Other rows go to the end. A new file has the family's columns. Leaves
// out a row if the table lacks a column that the row needs. (AITER fills absent columns with 0, and
// gfx from the CU count.) Errors: those of MapHeader.
core::Status PutRows(const core::Targets& targets, const std::vector<ContributedRow>& rows,
                     ContributedFile& file, std::vector<LeftOut>& left_out);

// Checks the new files (`texts`) as AITER does. AITER's merge raises an exception for a duplicate
// shape key. AITER's test of the default files refuses some times and errors. Errors: guard_failed,
// with the check, the file and the row.
core::Status HoldAgainstGuards(const Configuration& configuration, const ContributedFile& file,
                               const FamilyTexts& texts);

}  // namespace tunehub::agent
