// `pretune all|MODULE,...|--list`: what AITER's PRETUNE_MODULES does, by AITER's own scripts and
// JIT: every shape of a module's table is tuned on this GPU, the table gets the winners, and the
// modules whose kernels changed are built again. Needs no hub.
#pragma once

#include <string>

#include "agent/base/command.h"
#include "agent/tuning/tune_command.h"

namespace tunehub::agent::tuning {

// The modules that there are, and why some cannot be tuned. The exit code.
int ListModules(const TuneOptions& options, Console& console);

// `modules`: "all", or names between commas. 0: every shape has a row and every module is built;
// 1: some shapes or modules failed, a table whose module could not be built is as it was; 2: it
// could not be done.
int PretuneModules(TuneOptions options, const std::string& modules, Console& console);

}  // namespace tunehub::agent::tuning
