// What of a command line goes to the scripts of vLLM, SGLang and PyTorch, and what they cannot
// heed: nothing is dropped without a word.
#pragma once

#include <string>

#include "agent/engines/engine_run.h"
#include "agent/engines/engine_script.h"
#include "agent/tuning/tune_options.h"

namespace tunehub::agent::tuning {

// Also of the other tuners: the engines' options are none of theirs. Errors: bad_arguments.
core::Status CheckEngineOptions(const TuneOptions& options);

// Of `run` as well: nothing was given that the engine's tuner cannot heed. Errors: bad_arguments.
core::Status CheckEngineHeeds(const TuneOptions& options);

// The family that is tuned: --family, else what that engine's first script tunes.
std::string EngineFamily(const TuneOptions& options);

engines::EngineWork EngineWorkOf(const TuneOptions& options);

// `amd`: the kernel driver lists an AMD GPU, whose environment has another variable.
engines::EngineSettings EngineSettingsOf(const TuneOptions& options, bool amd);

}  // namespace tunehub::agent::tuning
