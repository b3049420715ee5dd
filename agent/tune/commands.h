// The commands that measure: tune, bench, pretune, discover and compare. --tuner chooses tunehub's
// own tuner, or the scripts of AITER, vLLM, SGLang or PyTorch.
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
#include "agent/search/tuning_bench.h"
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

// The two files of a comparison, in any form that `compare` reads.
struct ComparedFiles {
  std::string base, head;
  std::string family;  // "": found from the files' headers
  std::string unit;    // the unit of times whose column names no unit; "": not given
};

struct CompareOptions {
  ComparedFiles files;
  std::vector<std::string> base_env, head_env;
  std::string configs, out;
  analysis::CompareLimits limits;
  bool fail_on_regress = false, json = false;
  bool fail_on_missing = false, no_fail_on_missing = false;  // default: as fail_on_regress says
};

// Returns the exit code of the command.
int CompareFiles(const CompareOptions& options, Console& console);

int RunCompare(int argc, char** argv, Console& console);

// Runs `tune --tuner aiter`. Exit code 0: every shape has a row. 1: some shapes have a row. 2: no
// shape has a row, or AITER is not installed.
int TuneByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench, Console& console);

// Times AITER's operator on each shape, before or after tuning. Prints a table of the family's
// untuned columns, us and status.
int BenchByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                 Console& console);

// Runs `tune --tuner vllm`, `sglang` or `tunableop` by the engine's own scripts. Exit codes are
// those of TuneByAiter. -o is a folder, which gets files in the engine's format.
int TuneByEngine(const TuneOptions& options, Console& console);

// The functions below translate a command line for the scripts, or refuse options that a script
// lacks.

// Errors: bad_arguments. Either AITER's scripts lack an option for this purpose, or the user typed
// a flag after `--` that tunehub itself sets.
core::Status CheckAiterOptions(const TuneOptions& options, Purpose purpose);

// Errors: bad_arguments if the script of this family lacks an option.
core::Status CheckAiterFamily(const TuneOptions& options, const core::Family& family);

// Options that the user did not type get AITER's defaults. The caller sets `work`.
AiterOptions AiterOptionsOf(const TuneOptions& options);

// Checks the engines' options, and refuses them for other tuners. Errors: bad_arguments.
core::Status CheckEngineOptions(const TuneOptions& options);

// For `tune` and `run`: refuses options that the engine's tuner does not support. Errors:
// bad_arguments.
core::Status CheckEngineHeeds(const TuneOptions& options);

// --family, else the family of the engine's first script.
std::string EngineFamily(const TuneOptions& options);

EngineWork EngineWorkOf(const TuneOptions& options);

// `amd`: true if the kernel driver lists an AMD GPU. AMD's environment variable for the choice of
// GPUs differs from NVIDIA's.
EngineSettings EngineSettingsOf(const TuneOptions& options, bool amd);

// A case of a suite. A suite runs AITER's Triton benches on shapes, in two environments.
struct SuiteCase {
  std::string kernel, script;           // the script's path within AITER
  std::array<std::int64_t, 4> shape{};  // B, M, N, K
  std::string key;                      // "batched_gemm_bf16,16,64,512,128"
};

// `name`: a name of `suites`, or a path (it ends with .json or contains a '/'). Errors:
// unknown_suite, bad_suite (with the member and its value), those of core::FileBytes.
core::Result<std::vector<SuiteCase>> LoadSuite(const core::TextFolder& suites,
                                               const std::string& name);

// One of the two environments of a suite, and its times.
struct SuiteSide {
  std::string name;             // the environment's file name without .json
  std::filesystem::path file;   // the CSV of its times; `compare` reads it
  analysis::Environment facts;  // including versions that its interpreter reports
  std::string python;           // the interpreter; an absolute path, or a name in PATH
  // facts with names in capital letters, and PYTHONPATH
  std::map<std::string, std::string> variables;
  std::map<std::string, std::vector<double>> us;  // times of completed cases, by SuiteCase::key

  core::Status Save() const;
};

// Merges the facts of `environment` and `host`. Reads the times of this environment that are
// already in `folder`. Errors: bad_environment (also: no fact `python`), no_python (the interpreter
// does not run), other_version (a fact contradicts the interpreter or `host`), other_facts (the
// times in `folder` have other facts), bad_header, those of core::FileBytes and ReadShapeRows.
core::Result<SuiteSide> OpenSuiteSide(const core::Families& families,
                                      const std::string& environment,
                                      const std::filesystem::path& folder,
                                      const std::filesystem::path& aiter,
                                      analysis::Environment host);

// Spools the times of one environment as a run. Equal times give the same run. Precondition: the
// environment's facts contain gfx and cu_num. Returns the run's key. Errors: unknown_family,
// bad_provenance, spool_full, file_unwritable.
core::Result<std::string> SpoolSuiteSide(const core::Families& families, const SuiteSide& side,
                                         Outbox& outbox);

// Options of `bench --suite`.
struct SuiteOptions {
  std::string suite, timing;
  std::vector<std::string> environments;
  bool fail_on_regress = false;
};

void AddSuiteOptions(cli::CommandLine& line, SuiteOptions& suite);

// Precondition: `options.given` is filled. Refuses options that a suite does not support.
int BenchSuite(const SuiteOptions& suite, const TuneOptions& options, Console& console);

// selftest runs every kernel of a family on test shapes and compares with a float64 reference. It
// checks results, not speed.

// A kernel's wrong or failed run.
struct Fault {
  std::string kernel;  // "": no particular kernel
  Columns candidate, shape;
  Outcome outcome = Outcome::kBroken;  // or kWrong
  std::string reason;
};

struct FamilyReport {
  std::string family;
  std::size_t runs = 0;  // verified runs
  // Each kernel counts once, by its worst result. `failed`: the kernel crashed or hung, or the
  // driver refused it. `not_valid`: the kernel can run none of the shapes.
  std::size_t ok = 0, wrong = 0, failed = 0, not_valid = 0;
  std::vector<Fault> faults;

  std::size_t kernels() const { return ok + wrong + failed + not_valid; }
  bool passed() const { return faults.empty(); }
};

// `kernels`: the names of the family's kernels, at least one. Verifies every candidate of every
// shape. If a shape's default is correct, times the default, also hot and cold if the device
// supports this. `limit`: the allowed share of wrong elements. After an error, `report` contains
// the results so far. Errors: no_device: the device is lost.
core::Status CheckFamily(TuningDevice& device, const std::vector<std::string>& kernels,
                         const std::vector<Columns>& shapes, double limit, FamilyReport& report);

// Returns shapes in every data type of the family: aligned shapes, shapes of partial tiles, one
// row, and few tiles (so that kernels split K). With `large`, also returns shapes with more tiles
// than a GPU has processors. Some of these tiles are partial. So every order of blocks wraps
// around. Empty if tunehub has no kernel of the family.
std::vector<Columns> SelftestShapes(std::string_view family, bool large);

nlohmann::ordered_json ToJson(const FamilyReport& report);

// Prints a line of counts, then a line per faulty kernel with its first reason.
void Print(std::ostream& out, const FamilyReport& report);

int RunSelftest(int argc, char** argv, Console& console);

// tunehub-agent fieldtest: discover, selftest and a tune of each variant, packed into an archive.
int RunFieldtest(int argc, char** argv, Console& console);

// `pretune all|MODULE,...|--list` does the same as AITER's PRETUNE_MODULES, with AITER's scripts
// and JIT. It tunes every shape of a module's table on this GPU. Then it writes the winners into
// the table, and rebuilds modules whose kernels changed. It needs no hub.

// The tables of one family in an AITER tree.
class TreeTables {
 public:
  // `targets` must outlive the result. Errors: no_table, file_unreadable, those of
  // core::ReadTunedTable.
  static core::Result<TreeTables> Read(const FamilyFiles& files, const core::Targets& targets);

  // The distinct shapes of all rows, for any target.
  std::vector<Columns> Shapes() const;

  // Returns the libraries of AITER that must be rebuilt for the table `csv`, because they contain a
  // compiled table or registry. Their rows in `csv` name other kernels than the tree's rows of the
  // same shape keys. `csv` has the family's header. Errors: those of core::ReadTunedTable.
  core::Result<std::set<std::string>> LibrariesOf(std::string_view csv) const;

  // Merges the tree's tables as AITER would, and writes them as one file. Rows of `csv` replace
  // rows of the same shape key. Errors: lossy_table, file_unwritable.
  core::Status WriteMerged(std::string_view csv, const std::filesystem::path& file) const;

  // Writes each row of `csv` into the file that already has its shape key, so that no shape key is
  // in two files. Rows with a new shape key go into the default file. Errors: as WriteMerged.
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
  std::map<std::string, Place> places_;  // where the first row of each shape key is, by Row::order
};

// A module that AITER's PRETUNE_MODULES can name: module_*_tune in the tree's
// optCompilerConfig.json, the tuner of a module that has a table.
struct PretuneModule {
  std::string name;                      // "module_gemm_a8w8_tune"
  const core::Family* family = nullptr;  // the family whose table is tuned; null: see why_not
  std::string why_not;                   // why the module cannot be tuned; "": it can
};

// Lists the modules in the file's order. Errors: no_modules (the file is missing or not JSON).
core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter);

// `wanted`: "all", or names separated by commas, with or without "module_" and "_tune". Tunes a
// family once, even if several modules belong to it. Errors: unknown_module, which lists the known
// modules; unsupported_module.
core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted);

// Prints the modules, and why some cannot be tuned. Returns the exit code.
int ListModules(const TuneOptions& options, Console& console);

// `modules`: "all", or names separated by commas. Exit code 0: every shape has a row, and every
// module is built. 1: some shapes or modules failed; a failed module's table is unchanged. 2: an
// error.
int PretuneModules(TuneOptions options, const std::string& modules, Console& console);

}  // namespace tunehub::agent
