// `tune` and `bench` by the scripts of AITER, vLLM, SGLang and PyTorch.
#pragma once

#include "agent/base/command.h"
#include "agent/search/tune_command.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
