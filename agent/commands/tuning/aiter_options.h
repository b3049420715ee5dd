// What of a command line goes to AITER's scripts, and what they cannot heed: nothing is dropped
// without a word.
#pragma once

#include "agent/aiter/tuners/script_command.h"
#include "agent/tuning/tune_options.h"
#include "agent/tuning/tune_shapes.h"
#include "core/family/family.h"

namespace tunehub::agent::tuning {

// Errors: bad_arguments, an option that AITER's scripts do not have for this purpose, or a flag
// behind `--` that is tunehub's to give.
core::Status CheckAiterOptions(const TuneOptions& options, Purpose purpose);

// Errors: bad_arguments, an option that the script of this family lacks.
core::Status CheckAiterFamily(const TuneOptions& options, const core::Family& family);

// AITER's own defaults where the command line says nothing. `state`: where what is compiled is
// kept; `work` is the caller's to set.
tuners::AiterOptions AiterOptionsOf(const TuneOptions& options, const std::filesystem::path& state);

}  // namespace tunehub::agent::tuning
