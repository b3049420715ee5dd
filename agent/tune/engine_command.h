// `tune --tuner vllm`, `sglang` and `tunableop`: tuning by the engines' own scripts.
#pragma once

#include "agent/base/command.h"
#include "agent/search/tune_options.h"

namespace tunehub::agent {

// The exit code of `tune`: 0 every shape has a row, 1 some have, 2 none, or the script is not
// there. -o is a folder, which gets the files as the engine reads them.
int TuneByEngine(const TuneOptions& options, Console& console);

}  // namespace tunehub::agent
