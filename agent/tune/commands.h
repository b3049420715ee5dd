// The commands that measure: tune, bench, pretune and discover on this device, by the scripts of
// AITER, vLLM, SGLang and PyTorch where --tuner says so; compare, two tables of times.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/device/device.h"
#include "agent/device/this_device.h"
#include "agent/engines/engine_run.h"
#include "agent/hub/outbox.h"
#include "agent/search/session.h"
#include "agent/search/tune_command.h"
#include "core/analysis/compare.h"
#include "core/analysis/environment.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

int RunTune(int argc, char** argv, Console& console);
int RunBench(int argc, char** argv, Console& console);
int RunPretune(int argc, char** argv, Console& console);
int RunDiscover(int argc, char** argv, Console& console);

// Two files as the sides of a comparison, each in whatever form it is.
struct ComparedFiles {
  std::string base, head;
  std::string family;  // "": what the files say
  std::string unit;    // of times whose column names none; "": nobody says
};

struct CompareOptions {
  ComparedFiles files;
  std::vector<std::string> base_env, head_env;
  std::string configs, out;
  analysis::CompareLimits limits;
  bool fail_on_regress = false, json = false;
  bool fail_on_missing = false, no_fail_on_missing = false;  // neither: as fail_on_regress
};

// The exit code of the command with these options.
int CompareFiles(const CompareOptions& options, Console& console);

int RunCompare(int argc, char** argv, Console& console);

// The exit code of `tune --tuner aiter`: 0 every shape has a row, 1 some have, 2 none, or AITER is
// not there.
int TuneByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench, Console& console);

// What AITER's operator takes for each shape, before or after tuning, as a table of the family's
// untuned columns, us and status.
int BenchByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                 Console& console);

// The same of `tune --tuner vllm`, `sglang` and `tunableop`, by the engines' own scripts. -o is a
// folder, which gets the files as the engine reads them.
int TuneByEngine(const TuneOptions& options, Console& console);

// What of a command line goes to these scripts, and what they cannot heed: nothing is dropped
// without a word.

// Errors: bad_arguments, an option that AITER's scripts do not have for this purpose, or a flag
// behind `--` that is tunehub's to give.
core::Status CheckAiterOptions(const TuneOptions& options, Purpose purpose);

// Errors: bad_arguments, an option that the script of this family lacks.
core::Status CheckAiterFamily(const TuneOptions& options, const core::Family& family);

// AITER's own defaults where the command line says nothing; `work` is the caller's to set.
AiterOptions AiterOptionsOf(const TuneOptions& options);

// Also of the other tuners: the engines' options are none of theirs. Errors: bad_arguments.
core::Status CheckEngineOptions(const TuneOptions& options);

// Of `run` as well: nothing was given that the engine's tuner cannot heed. Errors: bad_arguments.
core::Status CheckEngineHeeds(const TuneOptions& options);

// The family that is tuned: --family, else what that engine's first script tunes.
std::string EngineFamily(const TuneOptions& options);

EngineWork EngineWorkOf(const TuneOptions& options);

// `amd`: the kernel driver lists an AMD GPU, whose environment has another variable.
EngineSettings EngineSettingsOf(const TuneOptions& options, bool amd);

// A suite: AITER's Triton benches on shapes, in two environments.
struct SuiteCase {
  std::string kernel, script;           // the script's path within AITER
  std::array<std::int64_t, 4> shape{};  // B, M, N, K
  std::string key;                      // "batched_gemm_bf16,16,64,512,128"
};

// `name` is one of `suites`, or a path: it ends with .json or holds a '/'. Errors: unknown_suite,
// bad_suite (with the member and its value), those of core::FileBytes.
core::Result<std::vector<SuiteCase>> LoadSuite(const core::TextFolder& suites,
                                               const std::string& name);

// An environment, and what was measured there.
struct SuiteSide {
  std::string name;                               // of the file of its facts, without .json
  std::filesystem::path file;                     // of its times, which `compare` reads
  analysis::Environment facts;                    // also what its interpreter says
  std::string python;                             // the interpreter, from any folder
  std::map<std::string, std::string> variables;   // facts in capitals, and PYTHONPATH
  std::map<std::string, std::vector<double>> us;  // of whole cases, by SuiteCase::key

  core::Status Save() const;
};

// Of the facts in `environment` and those of `host`, with the times that `folder` has of them
// already. Errors: bad_environment (also: no fact `python`), no_python (it does not run),
// other_version (a fact is not what the interpreter or `host` says), other_facts (the times are of
// others), bad_header, those of core::FileBytes and ReadShapeRows.
core::Result<SuiteSide> OpenSuiteSide(const core::Families& families,
                                      const std::string& environment,
                                      const std::filesystem::path& folder,
                                      const std::filesystem::path& aiter,
                                      analysis::Environment host);

// The run of a side's times, in the spool: the same one for the same times. Precondition: its facts
// say gfx and cu_num. Returns the run's key. Errors: unknown_family, bad_provenance, spool_full,
// file_unwritable.
core::Result<std::string> SpoolSuiteSide(const core::Families& families, const SuiteSide& side,
                                         Outbox& outbox);

// `bench --suite`, and what became slower.
struct SuiteOptions {
  std::string suite, timing;
  std::vector<std::string> environments;
  bool fail_on_regress = false;
};

void AddSuiteOptions(cli::CommandLine& line, SuiteOptions& suite);

// `options.given` is filled. Options that a suite does not heed are refused.
int BenchSuite(const SuiteOptions& suite, const TuneOptions& options, Console& console);

// selftest: every kernel of a family, run on the test shapes and compared with the float64
// reference: whether a device computes what it should, not how fast.

// One run that went wrong.
struct Fault {
  std::string kernel;  // "": of no kernel in particular
  Columns candidate, shape;
  Outcome outcome = Outcome::kBroken;  // or kWrong
  std::string reason;
};

struct FamilyReport {
  std::string family;
  std::size_t runs = 0;  // verified
  // Kernels, each counted once, by the worst that happened to it: `failed` crashed, hung or was
  // refused by the driver; `not_valid` ran on none of the shapes.
  std::size_t ok = 0, wrong = 0, failed = 0, not_valid = 0;
  std::vector<Fault> faults;

  std::size_t kernels() const { return ok + wrong + failed + not_valid; }
  bool passed() const { return faults.empty(); }
};

// `kernels`: the family's names, not empty. Verifies every candidate of every shape and, where a
// shape's untuned choice is right, also times it, hot and cold where the device can. `limit`: the
// share of wrong elements that is allowed. Fills `report` as far as it comes.
// Errors: no_device, where nothing can run here any more.
core::Status CheckFamily(TuningDevice& device, const std::vector<std::string>& kernels,
                         const std::vector<Columns>& shapes, double limit, FamilyReport& report);

// Of a family, in every format that its key can name: aligned, ending within tiles each way, one
// row, and so few tiles that K is split. `large`: also more tiles than a GPU has processors, in
// parts, so that every order of blocks turns over. Empty: no kernel of tunehub's own is of the
// family.
std::vector<Columns> SelftestShapes(std::string_view family, bool large);

// What was found, for programs and for people.
nlohmann::ordered_json ToJson(const FamilyReport& report);

// A line of counts, and one per kernel that went wrong, with the first reason.
void Print(std::ostream& out, const FamilyReport& report);

// tunehub-agent selftest.
int RunSelftest(int argc, char** argv, Console& console);

// `pretune all|MODULE,...|--list`: what AITER's PRETUNE_MODULES does, by AITER's own scripts and
// JIT: every shape of a module's table is tuned on this GPU, the table gets the winners, and the
// modules whose kernels changed are built again. Needs no hub.

// The tables that an AITER tree has of one family, and new rows for them.
class TreeTables {
 public:
  // `targets` must outlive it. Errors: no_table, file_unreadable, those of core::ReadTunedTable.
  static core::Result<TreeTables> Read(const FamilyFiles& files, const core::Targets& targets);

  // Each shape that a row is for, whatever its target, once.
  std::vector<Columns> Shapes() const;

  // AITER's libraries whose compiled table, or registry, the rows of `csv` (the family's header)
  // change: other kernels than the tree's rows of the same keys name. Errors: those of
  // core::ReadTunedTable.
  core::Result<std::set<std::string>> LibrariesOf(std::string_view csv) const;

  // Everything that AITER would merge, with the rows of `csv` in the places of those with the same
  // keys, as one file. Errors: lossy_table, file_unwritable.
  core::Status WriteMerged(std::string_view csv, const std::filesystem::path& file) const;

  // The same where the rows stand: a row of a known key goes into the file that has it, so that no
  // key is in two; others go into the default file. Errors: as WriteMerged.
  core::Status PutInPlace(std::string_view csv) const;

 private:
  struct Table {
    std::filesystem::path path;
    core::TunedTable rows;
  };
  TreeTables(const core::Family& family, const core::Targets& targets)
      : family_(&family), targets_(&targets) {}
  struct Place {
    std::size_t table = 0, row = 0;
  };

  const core::Family* family_;
  const core::Targets* targets_;
  std::vector<Table> tables_;            // the default file first
  std::map<std::string, Place> places_;  // of rows, by Row::order; the first of equal keys
};

// The modules that AITER's PRETUNE_MODULES names: module_*_tune of a tree's optCompilerConfig.json,
// each the tuner's side of a module that has a table.
struct PretuneModule {
  std::string name;                      // "module_gemm_a8w8_tune"
  const core::Family* family = nullptr;  // whose table is tuned; null: see why_not
  std::string why_not;                   // why it cannot be tuned; "": it can
};

// In the order of the tree's file. Errors: no_modules (there is no such file, or it is no JSON).
core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter);

// "all", or names between commas, also without "module_" and "_tune"; several of one family are
// tuned once. Errors: unknown_module (with those that there are), unsupported_module.
core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted);

// The modules that there are, and why some cannot be tuned. The exit code.
int ListModules(const TuneOptions& options, Console& console);

// `modules`: "all", or names between commas. 0: every shape has a row and every module is built;
// 1: some shapes or modules failed, a table whose module could not be built is as it was; 2: it
// could not be done.
int PretuneModules(TuneOptions options, const std::string& modules, Console& console);

}  // namespace tunehub::agent
