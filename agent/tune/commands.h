// The commands that measure: tune, bench, pretune and discover on this device, by the scripts of
// AITER, vLLM, SGLang and PyTorch where --tuner says so; compare, two tables of times.
#pragma once

#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/engines/engine_run.h"
#include "agent/search/session.h"
#include "agent/search/tune_command.h"
#include "core/analysis/compare.h"
#include "core/family/family.h"

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

}  // namespace tunehub::agent
