// What of a command line goes to the tune scripts of AITER, vLLM, SGLang and PyTorch, and what they
// cannot heed: nothing is dropped without a word.
#pragma once

#include <string>

#include "agent/engines/engine_run.h"
#include "agent/search/session.h"
#include "agent/search/tune_command.h"
#include "core/family/family.h"

namespace tunehub::agent {

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
